import { WireError } from '../base/errors.ts'
import type { RecordItem } from './reader.ts'
import { RecordReader } from './reader.ts'

/** How far a record could be read. */
export interface ScanEnd {
  /** Bytes from the start of the file that are whole and right. */
  readonly wholeBytes: number
  /** Bytes behind them: torn off in the middle of an entry, or not what a writer writes. */
  readonly lostBytes: number
  /** Why they are lost; `undefined` when none are. */
  readonly error: WireError | undefined
}

/**
 * Reads all that is right in a record, from its beginning. Whatever is wrong ends the reading and is
 * told, never thrown: a file whose writer died ends anywhere, and all before that place counts.
 */
export function scanRecord(
  pieces: Iterable<Uint8Array>,
  visit: (item: RecordItem) => void,
): ScanEnd {
  const reader = new RecordReader()
  let totalBytes = 0
  let error: WireError | undefined
  for (const piece of pieces) {
    totalBytes += piece.byteLength
    if (error !== undefined) continue
    reader.push(piece)
    error = readAll(reader, visit)
  }
  const { wholeBytes, waitingBytes } = reader
  if (error === undefined && waitingBytes > 0) {
    const message = `Cannot read ${waitingBytes} bytes behind byte ${wholeBytes}: an entry is torn off`
    error = new WireError('SS_WIRE_TRUNCATED', wholeBytes, message)
  }
  return { wholeBytes, lostBytes: totalBytes - wholeBytes, error }
}

function readAll(reader: RecordReader, visit: (item: RecordItem) => void): WireError | undefined {
  for (;;) {
    let item: RecordItem | undefined
    try {
      item = reader.next()
    } catch (error) {
      if (error instanceof WireError) return error
      throw error
    }
    if (item === undefined) return undefined
    visit(item)
  }
}
