/**
 * Finds what an earlier build left in `dist` for a source file that is gone. The compiler never
 * removes it, `npm pack` would ship it, and an import of it would still work on one machine.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const output = /\.(?:js|d\.ts)(?:\.map)?$/

/** Outputs in `dist` of a package whose source in `src` is gone, as paths below the package. */
export function findStaleOutputs(folder: string): string[] {
  const dist = join(folder, 'dist')
  if (!existsSync(dist)) return []
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => output.test(path))
    .filter((path) => !existsSync(join(folder, 'src', path.replace(output, '.ts'))))
    .map((path) => `dist/${path}`)
    .sort()
}
