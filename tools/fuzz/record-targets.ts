/** Records, whose checks are made right so that what lies behind them is tried too. */
import { crc32 } from '../../packages/samestep/src/base/crc32.ts'
import { WireError } from '../../packages/samestep/src/base/errors.ts'
import { MatchHistories, RecordReader } from '../../packages/samestep/src/record/index.ts'
import { makeSampleRecord, sampleId } from '../../packages/samestep/src/record/testing/sample.ts'
import { RecordWriter } from '../../packages/samestep/src/record/writer.ts'
import type { FuzzTarget } from './fuzzer.ts'

const headBytes = 20
const idStart = 8

/** Makes every check right, as far as lengths lead from entry to entry. */
function resum(file: Uint8Array): Uint8Array {
  const bytes = file.slice()
  if (bytes.length < headBytes) return bytes
  const view = new DataView(bytes.buffer)
  let check = crc32(bytes, headBytes - 4)
  view.setUint32(headBytes - 4, check, true)
  for (let start = headBytes; start < bytes.length; ) {
    let at = start + 1
    if (bytes[start]! >= 0x80) while (bytes[at++]! >= 0x80);
    let length = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = bytes[at++] ?? 0
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    const end = at + length
    if (end + 4 > bytes.length) break
    check = crc32(bytes, end, start, check)
    view.setUint32(end, check, true)
    start = end + 4
  }
  return bytes
}

/** Reads a record, folds it, and writes what was read. Only one encoding of entries is legal. */
function recode(bytes: Uint8Array): Uint8Array {
  const reader = new RecordReader()
  reader.push(bytes)
  const histories = new MatchHistories()
  let writer: RecordWriter | undefined
  for (let item = reader.next(); item; item = reader.next()) {
    writer ??= new RecordWriter(reader.head?.id ?? sampleId)
    writer.append(item.match, item.entry, item.isLast)
    histories.add(item)
  }
  if (reader.waitingBytes > 0) {
    throw new WireError('SS_WIRE_TRUNCATED', reader.wholeBytes, 'Cannot read a torn entry')
  }
  const { head } = reader
  if (head === undefined) throw new WireError('SS_WIRE_TRUNCATED', 0, 'Cannot read a torn head')
  return (writer ?? new RecordWriter(bytes.slice(idStart, idStart + 8))).take().slice()
}

/** Record files. */
export function recordTargets(): FuzzTarget[] {
  return [
    {
      name: 'record',
      seeds: [makeSampleRecord(), makeSampleRecord().slice(0, headBytes)],
      run: recode,
      repair: resum,
      // The reader's copy, the writer's, the memory of a match with all its seats, and the values.
      allocationMax: (length) => 65_536 + 24 * length,
    },
  ]
}
