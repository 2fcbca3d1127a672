import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The value of one condition or subpath in package.json: a file, or conditions that lead to one. */
export type ExportsEntry = string | null | { readonly [condition: string]: ExportsEntry }

/** One file that an importer can be sent to: by subpath, under the conditions on the way. */
export type ExportsTarget = { readonly subpath: string; readonly path: string }

/** Every file that `exports` or `bin` of a package.json can lead to, in the order written there. */
export function listTargets(manifest: {
  readonly exports?: { readonly [subpath: string]: ExportsEntry }
  readonly bin?: { readonly [command: string]: string }
}): ExportsTarget[] {
  const targets: ExportsTarget[] = []
  const visit = (subpath: string, entry: ExportsEntry): void => {
    if (typeof entry === 'string') targets.push({ subpath, path: entry })
    else if (entry !== null) for (const inner of Object.values(entry)) visit(subpath, inner)
  }
  for (const [subpath, entry] of Object.entries(manifest.exports ?? {})) visit(subpath, entry)
  for (const [command, path] of Object.entries(manifest.bin ?? {})) {
    targets.push({ subpath: `bin ${command}`, path })
  }
  return targets
}

/** One sentence per target that is not on the disk. */
export function findMissingTargets(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return listTargets(manifest)
    .filter(({ path }) => !existsSync(join(folder, path)))
    .map(({ subpath, path }) => `${subpath} leads to ${path}, which the build did not make`)
}
