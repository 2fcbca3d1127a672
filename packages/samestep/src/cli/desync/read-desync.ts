import { readFileSync, statSync } from 'node:fs'
import { UsageError, WireError } from '../../base/errors.ts'
import type { DesyncFile } from '../../desync/report-file.ts'
import { decodeDesyncFile, desyncFileBytesMax } from '../../desync/report-file.ts'

/**
 * Reads a report.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a file that is none.
 */
export function readDesync(path: string): DesyncFile {
  const bad = (why: string) => new UsageError('SS_BAD_ARGUMENT', `${path}: ${why}`)
  if (statSync(path).size > desyncFileBytesMax) throw bad('too large for a report of a desync')
  try {
    return decodeDesyncFile(new Uint8Array(readFileSync(path)))
  } catch (error) {
    if (error instanceof WireError) throw bad(error.message)
    throw error
  }
}
