import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { context } from 'esbuild'
import type { PlantedBug } from './bugs/planted-bug.ts'

/** Where bugs are planted. */
export const sourceFolder = join(import.meta.dirname, '..', '..', 'src')

/** Builds the storm program again and again, with another bug planted in it each time. */
export interface StormBuilder {
  /**
   * Writes the program with a bug in it, or without one. The sources stay as they are: the bug is put
   * in while its file is read. All other files are parsed once for all bugs.
   *
   * Throws when the place of the bug is not there exactly once: then the code has moved on, and the
   * list of bugs has to follow.
   */
  build(bug: PlantedBug | undefined, outfile: string): Promise<void>
  close(): Promise<void>
}

/** Starts a builder. Builds that are asked for at once are made one after the other. */
export async function createStormBuilder(): Promise<StormBuilder> {
  let planted: PlantedBug | undefined
  const builder = await context({
    entryPoints: [join(import.meta.dirname, 'storm-entry.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'planted-bug',
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            if (planted === undefined || path !== join(sourceFolder, planted.file)) return undefined
            return { contents: plant(planted, readFileSync(path, 'utf8')), loader: 'ts' }
          })
        },
      },
    ],
  })
  let last: Promise<unknown> = Promise.resolve()
  const build = async (bug: PlantedBug | undefined, outfile: string): Promise<void> => {
    planted = bug
    const { outputFiles } = await builder.rebuild()
    writeFileSync(outfile, outputFiles[0]!.contents)
  }
  return {
    build(bug, outfile) {
      const made = last.then(() => build(bug, outfile))
      last = made.catch(() => {})
      return made
    },
    close: () => builder.dispose(),
  }
}

/** The text of a file with the bug in it. */
export function plant(bug: PlantedBug, text: string): string {
  const places = text.split(bug.find)
  if (places.length !== 2) {
    throw new Error(`${bug.id}: ${bug.file} has ${places.length - 1} places for it, not one`)
  }
  return places.join(bug.replace)
}
