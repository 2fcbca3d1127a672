import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { PlantedBug } from './bugs/planted-bug.ts'

const source = join(import.meta.dirname, '..', '..', 'src')

/**
 * Builds the storm program with a bug planted in it, or without one. The sources stay as they are:
 * the bug is put in while the file is read.
 *
 * Throws when the place of the bug is not there exactly once: then the code has moved on, and the
 * list of bugs has to follow.
 */
export async function buildStorm(bug: PlantedBug | undefined, outfile: string): Promise<void> {
  const path = bug === undefined ? '' : join(source, bug.file)
  await build({
    entryPoints: [join(import.meta.dirname, 'storm-entry.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'silent',
    plugins: [
      {
        name: 'planted-bug',
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, (args) => {
            if (bug === undefined || args.path !== path) return undefined
            return { contents: plant(bug, readFileSync(path, 'utf8')), loader: 'ts' }
          })
        },
      },
    ],
  })
}

/** The text of a file with the bug in it. */
export function plant(bug: PlantedBug, text: string): string {
  const places = text.split(bug.find)
  if (places.length !== 2) {
    throw new Error(`${bug.id}: ${bug.file} has ${places.length - 1} places for it, not one`)
  }
  return places.join(bug.replace)
}
