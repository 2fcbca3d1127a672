import { WireError } from '../../base/errors.ts'
import { alignUp } from './buffer.ts'
import { cellBytes, columnTypes } from './cells.ts'
import { Checksum } from './checksum.ts'
import {
  bytesKind,
  checksumBytes,
  packedColumn,
  partHeadBytes,
  rawCellsAlignment,
  rawColumn,
  tableCountsBytes,
  tableKind,
} from './format.ts'
import type { SnapshotInfo } from './header.ts'
import { checkZeros, readSnapshotHeader } from './header.ts'
import { inflate } from './inflate.ts'
import { snapshotBytesMax, snapshotRowsMax, tableColumnsMax } from './limits.ts'
import { maskBytes } from './masks.ts'
import { readText } from './names.ts'
import { packedWordsMin } from './pack.ts'
import type { ColumnReader, Section, TableSection } from './section.ts'
import { PackedColumn, RawColumn } from './stored-column.ts'

/** A snapshot taken apart, but not yet understood. */
export interface Snapshot {
  readonly header: SnapshotInfo
  readonly sections: readonly Section[]
}

/** How a snapshot is read. */
export interface ReadOptions {
  /** Refuses what is larger: in the file, inflated, or unpacked. Default and most: 64 MiB. */
  readonly maxBytes?: number
}

/**
 * Takes a snapshot apart. Everything is checked that can be without knowing the game: sizes, names,
 * checksum. Columns are decoded later, by whoever knows where to put them.
 *
 * The sections borrow `bytes`: read them before it changes. Bytes from anywhere are welcome; memory is
 * taken only for what is really there, and for at most `maxBytes` in the encoding `deflate`.
 *
 * @throws WireError and nothing else.
 */
export function readSnapshot(bytes: Uint8Array, options: ReadOptions = {}): Snapshot {
  const { maxBytes = snapshotBytesMax } = options
  const header = readSnapshotHeader(bytes, maxBytes)
  // Words are read from memory directly, so they must lie on their boundaries there too. Node's Buffer
  // becomes a plain array either way: its own slice would not copy.
  const isAligned = bytes.byteOffset % 8 === 0
  const file = isAligned ? viewBytes(bytes) : new Uint8Array(bytes)
  const isRaw = header.encoding === 'raw'
  const sum = new Checksum()
  if (!isRaw) checkSum(file, sum, file.length - checksumBytes)
  const { headBytes, storedBytes, bodyBytes } = header
  checkZeros(file, headBytes + storedBytes, file.length - checksumBytes)
  const stored = file.subarray(headBytes, headBytes + storedBytes)
  const body = header.encoding === 'deflate' ? inflate(stored, bodyBytes) : stored
  const sections = new SectionReader(body, header, sum).readAll()
  if (isRaw) checkSum(file, sum, headBytes)
  return { header, sections }
}

function viewBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Throws unless `sum` and the bytes before `end` give the sum at the end of the file. */
function checkSum(file: Uint8Array, sum: Checksum, end: number): void {
  const words = wordsAt(file, 0, file.length)
  sum.add(words, 0, end)
  const sumAt = words.length - checksumBytes / 4
  if (words[sumAt] === sum.low && words[sumAt + 1] === sum.high) return
  throw new WireError(
    'SS_WIRE_BAD_CHECKSUM',
    file.length - checksumBytes,
    'Cannot read a snapshot: its checksum does not match its bytes',
  )
}

const noMasks = new Int32Array(0)

class SectionReader {
  private readonly bytes: Uint8Array
  private readonly words: Int32Array
  /** What heads are added to while they are read, if the snapshot is raw. */
  private readonly sum: Checksum
  private readonly header: SnapshotInfo
  /** What {@link at} and errors add up to: the place in the file, were it not deflated. */
  private readonly base: number
  private at = 0
  private contentBytes = 0

  constructor(bytes: Uint8Array, header: SnapshotInfo, sum: Checksum) {
    this.bytes = bytes
    this.words = wordsAt(bytes, 0, bytes.length)
    this.sum = sum
    this.header = header
    this.base = header.headBytes
  }

  readAll(): Section[] {
    const sections: Section[] = []
    for (let left = this.header.sectionCount; left > 0; left--) {
      const section = this.readSection()
      if (hasName(sections, section.name)) throw this.twice('section', section.name)
      sections.push(section)
    }
    if (this.at !== this.bytes.length) {
      throw this.fault('SS_WIRE_TRAILING_BYTES', 'bytes are left over behind its last section')
    }
    if (this.contentBytes !== this.header.contentBytes) {
      const sizes = `${this.contentBytes} bytes instead of ${this.header.contentBytes}`
      throw this.fault('SS_WIRE_OUT_OF_RANGE', `its contents add up to ${sizes}`)
    }
    return sections
  }

  private readSection(): Section {
    const headAt = this.at
    const end = this.bytes.length
    this.need(partHeadBytes, end)
    const kind = this.bytes[headAt]!
    const columns = this.u32(headAt) >>> 16
    const size = this.u32(headAt + 4)
    const name = this.readName(this.bytes[headAt + 1]!, end)
    const offset = this.base + this.at
    if (kind === tableKind) return this.readTable(headAt, name, offset, columns, size)
    if (kind !== bytesKind) throw this.fault('SS_WIRE_UNKNOWN', `section kind ${kind} is unknown`)
    if (columns !== 0) throw this.fault('SS_WIRE_NOT_CANONICAL', 'a section of bytes has columns')
    this.sumHead(headAt, this.at)
    const start = this.passContent(size, end)
    const content = this.bytes.subarray(start, start + size)
    this.addContent(size)
    return { kind: 'bytes', name, offset, content }
  }

  private readTable(
    headAt: number,
    name: string,
    offset: number,
    columnCount: number,
    size: number,
  ): TableSection {
    const start = this.at
    this.need(size, this.bytes.length)
    const end = start + size
    // What follows must again begin on a multiple of 8.
    if (size % 8 !== 0) {
      throw this.fault('SS_WIRE_NOT_CANONICAL', `table '${name}' cannot have ${size} bytes`)
    }
    this.need(tableCountsBytes, end)
    const rows = this.u32(start)
    const maskCount = this.u32(start + 4)
    const columnsAt = start + tableCountsBytes
    this.at = columnsAt
    if (rows > snapshotRowsMax) {
      throw this.fault('SS_WIRE_TOO_LARGE', `table '${name}' has ${rows} rows`)
    }
    if (columnCount > tableColumnsMax) {
      throw this.fault('SS_WIRE_TOO_LARGE', `table '${name}' has ${columnCount} columns`)
    }
    // The masks lie behind the columns that refer to them.
    const columnsEnd = end - maskCount * maskBytes
    if (columnsEnd < this.at) throw this.fault('SS_WIRE_TRUNCATED', 'masks are missing')
    const masks = maskCount === 0 ? noMasks : wordsAt(this.bytes, columnsEnd, end - columnsEnd)
    if (masks.length > 0 && this.header.encoding === 'raw') {
      throw this.fault('SS_WIRE_NOT_CANONICAL', 'a raw table has masks')
    }
    const columns = this.readColumns(columnCount, rows, masks, columnsEnd)
    if (this.at !== columnsEnd) {
      throw this.fault('SS_WIRE_TRAILING_BYTES', `bytes are left over in table '${name}'`)
    }
    this.sumHead(headAt, columnsAt)
    this.at = end
    return { kind: 'table', name, offset, rows, columns }
  }

  private readColumns(count: number, rows: number, masks: Int32Array, end: number): ColumnReader[] {
    const columns: ColumnReader[] = []
    for (let left = count; left > 0; left--) {
      const column = this.readColumn(rows, masks, end)
      if (hasName(columns, column.name)) throw this.twice('column', column.name)
      columns.push(column)
    }
    return columns
  }

  private readColumn(rows: number, masks: Int32Array, end: number): ColumnReader {
    const headAt = this.at
    this.need(partHeadBytes, end)
    const type = columnTypes[this.bytes[headAt]!]
    const encoding = this.bytes[headAt + 1]!
    const size = this.u32(headAt + 4)
    if (this.bytes[headAt + 3] !== 0) throw this.fault('SS_WIRE_NOT_CANONICAL', 'a gap is not zero')
    if (type === undefined) {
      throw this.fault('SS_WIRE_UNKNOWN', `column type ${this.bytes[headAt]} is unknown`)
    }
    const name = this.readName(this.bytes[headAt + 2]!, end)
    if (this.header.encoding === 'raw') this.passGap(rawCellsAlignment, end)
    this.sumHead(headAt, this.at)
    this.addContent(rows * cellBytes[type])
    const offset = this.base + this.at
    if (encoding === rawColumn) {
      if (size !== rows * cellBytes[type]) throw this.wrongSize(name, size)
      const start = this.passContent(size, end)
      return new RawColumn(name, type, offset, rows, this.bytes, start)
    }
    if (encoding !== packedColumn || this.header.encoding === 'raw') {
      throw this.fault('SS_WIRE_UNKNOWN', `column encoding ${encoding} is unknown here`)
    }
    // Also keeps `rows` in proportion to bytes that are really there.
    if (size % 4 !== 0 || size < packedWordsMin(type, rows) * 4) throw this.wrongSize(name, size)
    const start = this.passContent(size, end)
    return new PackedColumn(name, type, offset, rows, wordsAt(this.bytes, start, size), masks)
  }

  /** The name behind a head of which only the first byte has been looked at. */
  private readName(size: number, end: number): string {
    const nameAt = this.at + partHeadBytes
    this.need(partHeadBytes + size, end)
    if (size === 0) throw this.fault('SS_WIRE_OUT_OF_RANGE', 'a name is empty')
    this.at = nameAt + size
    this.passGap(8, end)
    return readText(this.bytes, nameAt, nameAt + size)
  }

  /** Goes behind a content and the gap that follows it, and returns where the content begins. */
  private passContent(size: number, end: number): number {
    const start = this.at
    this.need(size, end)
    this.at = start + size
    this.passGap(8, end)
    return start
  }

  /** Goes to the next multiple of `unit`, over nothing but zeros. */
  private passGap(unit: number, end: number): void {
    const start = this.at
    const next = alignUp(this.base + start, unit) - this.base
    if (next === start) return
    this.need(next - start, end)
    let bits = 0
    let at = start
    for (; (at & 3) !== 0; at++) bits |= this.bytes[at]!
    for (; at < next; at += 4) bits |= this.words[at >>> 2]!
    if (bits !== 0) throw this.fault('SS_WIRE_NOT_CANONICAL', 'a gap is not zero')
    this.at = next
  }

  private u32(at: number): number {
    return this.words[at / 4]! >>> 0
  }

  private sumHead(start: number, end: number): void {
    if (this.header.encoding === 'raw') this.sum.add(this.words, start, end)
  }

  private addContent(size: number): void {
    this.contentBytes += size
    if (this.contentBytes > this.header.contentBytes) {
      throw this.fault('SS_WIRE_OUT_OF_RANGE', 'its contents are larger than its head says')
    }
  }

  private need(size: number, end: number): void {
    if (size > end - this.at) throw this.fault('SS_WIRE_TRUNCATED', 'a section breaks off')
  }

  private wrongSize(name: string, size: number): WireError {
    return this.fault('SS_WIRE_OUT_OF_RANGE', `column '${name}' cannot have ${size} bytes`)
  }

  private twice(what: string, name: string): WireError {
    return this.fault('SS_WIRE_NOT_CANONICAL', `${what} '${name}' comes twice`)
  }

  private fault(code: WireError['code'], what: string): WireError {
    return new WireError(code, this.base + this.at, `Cannot read a snapshot: ${what}`)
  }
}

/** Limits keep the lists short; a Set would cost more than the rest of reading a small table. */
function hasName(list: readonly { readonly name: string }[], name: string): boolean {
  for (const { name: other } of list) if (other === name) return true
  return false
}

/** Bytes as words. The start is a multiple of 4 in the body, and the body of 8 in memory. */
function wordsAt(bytes: Uint8Array, start: number, size: number): Int32Array {
  return new Int32Array(bytes.buffer, bytes.byteOffset + start, size / 4)
}
