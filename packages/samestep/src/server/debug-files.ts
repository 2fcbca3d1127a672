import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DebugFile } from '../client/debug/debug-level.ts'

/**
 * Saves the files of debug levels to a folder, which is created if it is missing. Pass it to `joinMatch` as
 * `debug: { save: saveDebugFiles('debug') }`. A log is appended piece by piece, so that a crash does not
 * lose earlier pieces. Nothing is deleted: a snapshot every ten seconds can add up to a lot overnight.
 *
 * @throws what the file system throws if the folder cannot be created.
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
