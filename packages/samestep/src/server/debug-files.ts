import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DebugFile } from '../client/debug/debug-level.ts'

/**
 * Saves what debug levels make into a folder, which is made if it is not there: give it as
 * `debug: { save: saveDebugFiles('debug') }` to `joinMatch`. A log is appended to piece by piece, so a
 * process that dies loses nothing before that. Nothing is deleted: a snapshot every ten seconds may be
 * much over a night.
 *
 * @throws what the file system throws when the folder cannot be made.
 */
export function saveDebugFiles(folder: string): (file: DebugFile) => void {
  mkdirSync(folder, { recursive: true })
  const begun = new Set<string>()
  return ({ name, bytes }) => {
    // A name is made of the match's own id: nothing of it leads elsewhere.
    const path = join(folder, name.replaceAll(/[^\w.-]/g, '_'))
    if (begun.has(name)) appendFileSync(path, bytes)
    else writeFileSync(path, bytes)
    begun.add(name)
  }
}
