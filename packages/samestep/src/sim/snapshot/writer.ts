import { assert } from '../../base/assert.ts'
import { UsageError } from '../../base/errors.ts'
import type { ColumnType } from '../schema/field.ts'
import { SnapshotBuffer } from './buffer.ts'
import { cellBytes, columnTypeNumbers, holdsType } from './cells.ts'
import { Checksum } from './checksum.ts'
import { deflate } from './deflate.ts'
import type { SnapshotEncoding } from './format.ts'
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
import type { SnapshotHeader } from './header.ts'
import {
  bodyBytesAt,
  contentBytesAt,
  sectionCountAt,
  storedBytesAt,
  writeHeader,
} from './header.ts'
import { nameBytesMax, snapshotBytesMax, snapshotSectionsMax, tableColumnsMax } from './limits.ts'
import { maskBytes } from './masks.ts'
import { packCells, packedWordsMax } from './pack.ts'
import type { Cells, SectionWriter } from './section.ts'

/** How a snapshot is written. */
export interface WriteOptions {
  /** Default `packed`. */
  readonly encoding?: SnapshotEncoding
  /** Memory to write into; the result is then a view of it, good until the next use. */
  readonly into?: SnapshotBuffer
}

/**
 * Writes a snapshot: the head, then whatever sections `save` gives. Cells and bytes are copied while
 * `save` runs. Equal state gives equal bytes on every machine, in every encoding.
 *
 * Without `into` the result is a new array of exactly its length.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` above {@link snapshotBytesMax} (64 MiB), or when a name is
 * longer than {@link nameBytesMax} (255) bytes.
 */
export function writeSnapshot(
  header: SnapshotHeader,
  save: (out: SectionWriter) => void,
  options: WriteOptions = {},
): Uint8Array {
  const { encoding = 'packed', into } = options
  const buffer = into ?? new SnapshotBuffer()
  buffer.begin()
  try {
    writeHeader(buffer, header, encoding)
    const writer = new SnapshotWriter(buffer, encoding)
    save(writer)
    writer.finish()
  } finally {
    buffer.end()
  }
  return into === undefined ? buffer.copy() : buffer.bytes.subarray(0, buffer.length)
}

/** A table whose columns are still coming. */
interface OpenTable {
  readonly name: string
  readonly rows: number
  /** Where its head is, and where what the head counts begins. */
  readonly headAt: number
  readonly bodyAt: number
  readonly columns: string[]
}

// Messages of asserts are constant here: putting one together for every column of every snapshot would
// cost a fifth of a raw save.
class SnapshotWriter implements SectionWriter {
  private readonly out: SnapshotBuffer
  private readonly encoding: SnapshotEncoding
  private readonly bodyAt: number
  private readonly names: string[] = []
  private readonly sum = new Checksum()
  private table: OpenTable | undefined
  private contentBytes = 0

  constructor(out: SnapshotBuffer, encoding: SnapshotEncoding) {
    this.out = out
    this.encoding = encoding
    this.bodyAt = out.length
  }

  beginTable(name: string, rows: number): void {
    assert(this.table === undefined, 'A table begins inside another')
    assert(Number.isInteger(rows) && rows >= 0, 'A table has a whole number of rows')
    const out = this.out
    const headAt = this.beginSection(name, tableKind)
    const bodyAt = out.length
    out.reserve(tableCountsBytes)
    out.view.setUint32(bodyAt, rows, true)
    out.view.setUint32(bodyAt + 4, 0, true)
    out.length = bodyAt + tableCountsBytes
    out.masks.clear()
    this.table = { name, rows, headAt, bodyAt, columns: [] }
  }

  column(name: string, type: ColumnType, cells: Cells): void {
    const table = this.table
    assert(table !== undefined, 'A column is in no table')
    assert(!table.columns.includes(name), 'A column comes twice')
    assert(holdsType(cells, type) && cells.length >= table.rows, 'A column has other cells')
    table.columns.push(name)
    this.addContent(table.rows * cellBytes[type])
    const out = this.out
    const headAt = out.length
    this.writeName(name)
    out.bytes[headAt] = columnTypeNumbers[type]
    out.bytes[headAt + 2] = out.bytes[headAt + 1]!
    if (this.encoding === 'raw') out.pad(rawCellsAlignment)
    const contentAt = out.length
    const isPacked = this.encoding !== 'raw' && this.packContent(type, cells, table.rows)
    if (!isPacked) this.copyContent(cells, table.rows * cellBytes[type])
    out.bytes[headAt + 1] = isPacked ? packedColumn : rawColumn
    out.view.setUint32(headAt + 4, out.length - contentAt, true)
    this.sumHead(headAt, contentAt)
    out.pad()
  }

  endTable(): void {
    const table = this.table
    assert(table !== undefined, 'No table is open')
    assert(table.columns.length <= tableColumnsMax, 'A table has too many columns')
    const out = this.out
    const { masks } = out
    const size = masks.count * maskBytes
    if (size > 0) {
      out.reserve(size)
      out.bytes.set(new Uint8Array(masks.words.buffer, 0, size), out.length)
      out.length += size
    }
    out.view.setUint32(table.bodyAt + 4, masks.count, true)
    out.view.setUint16(table.headAt + 2, table.columns.length, true)
    out.view.setUint32(table.headAt + 4, out.length - table.bodyAt, true)
    this.sumHead(table.headAt, table.bodyAt + tableCountsBytes)
    this.table = undefined
  }

  bytes(name: string, content: Uint8Array): void {
    assert(this.table === undefined, 'A section begins inside a table')
    this.addContent(content.length)
    const headAt = this.beginSection(name, bytesKind)
    this.out.view.setUint32(headAt + 4, content.length, true)
    this.sumHead(headAt, this.out.length)
    this.copyContent(content, content.length)
    this.out.pad()
  }

  /** Fills in the sizes, deflates the body if asked to, and adds the checksum. */
  finish(): void {
    assert(this.table === undefined, 'A table is still open')
    const out = this.out
    const bodyAt = this.bodyAt
    const bodyBytes = out.length - bodyAt
    if (this.encoding === 'deflate') {
      const stored = deflate(out.bytes.subarray(bodyAt, out.length))
      out.length = bodyAt
      out.reserve(stored.length)
      out.bytes.set(stored, bodyAt)
      out.length = bodyAt + stored.length
    }
    out.view.setUint32(sectionCountAt, this.names.length, true)
    out.view.setUint32(storedBytesAt, out.length - bodyAt, true)
    out.view.setUint32(bodyBytesAt, bodyBytes, true)
    out.view.setUint32(contentBytesAt, this.contentBytes, true)
    out.pad()
    const sum = this.sum
    sum.add(out.words, 0, this.encoding === 'raw' ? bodyAt : out.length)
    out.reserve(checksumBytes)
    out.words[out.length / 4] = sum.low
    out.words[out.length / 4 + 1] = sum.high
    out.length += checksumBytes
  }

  /** Heads are summed one by one, each when it is complete, where contents are not summed at all. */
  private sumHead(start: number, end: number): void {
    if (this.encoding === 'raw') this.sum.add(this.out.words, start, end)
  }

  private beginSection(name: string, kind: number): number {
    assert(!this.names.includes(name), 'A section comes twice')
    assert(this.names.length < snapshotSectionsMax, 'A snapshot has too many sections')
    this.names.push(name)
    const headAt = this.out.length
    this.writeName(name)
    this.out.bytes[headAt] = kind
    return headAt
  }

  /** Leaves room for a head, with the length of the name in its second byte, and writes the name. */
  private writeName(name: string): void {
    const out = this.out
    const headAt = out.length
    out.reserve(partHeadBytes)
    out.words[headAt / 4] = 0
    out.words[headAt / 4 + 1] = 0
    out.length = headAt + partHeadBytes
    const size = out.writeText(name)
    if (size === 0 || size > nameBytesMax) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot save under the name '${name}': it has ${size} bytes; it must have 1 to ${nameBytesMax}`,
      )
    }
    out.bytes[headAt + 1] = size
    out.pad()
  }

  private copyContent(content: Cells, size: number): void {
    const out = this.out
    out.reserve(size)
    const isWhole = size === content.byteLength
    // Making a view costs as much as copying a kilobyte, and most columns of most games are these.
    if (isWhole && content instanceof Int32Array) out.words.set(content, out.length / 4)
    else if (size <= loopBytesMax && holdsWords(content)) {
      const at = out.length / 4
      for (let cell = 0; 4 * cell < size; cell++) out.words[at + cell] = content[cell] as number
    } else out.bytes.set(new Uint8Array(content.buffer, content.byteOffset, size), out.length)
    out.length += size
  }

  /** Returns whether packing made the column smaller; otherwise nothing is written. */
  private packContent(type: ColumnType, cells: Cells, rows: number): boolean {
    const out = this.out
    out.reserve(packedWordsMax(type, rows) * 4)
    const start = out.length / 4
    const maskCount = out.masks.count
    const end = packCells(type, cells, rows, out.masks, out.words, start)
    const added = (out.masks.count - maskCount) * maskBytes
    if ((end - start) * 4 + added >= rows * cellBytes[type]) {
      out.masks.truncate(maskCount)
      return false
    }
    out.length = end * 4
    return true
  }

  private addContent(size: number): void {
    this.contentBytes += size
    if (this.contentBytes <= snapshotBytesMax) return
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot save a state of ${this.contentBytes} bytes: the limit is ${snapshotBytesMax}`,
    )
  }
}

/** Up to so many bytes, a loop over the cells is faster than a view of them. */
const loopBytesMax = 64

function holdsWords(cells: Cells): boolean {
  return cells instanceof Uint32Array || cells instanceof Int32Array
}
