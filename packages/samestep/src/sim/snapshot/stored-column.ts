import { assert } from '../../base/assert.ts'
import type { ColumnType } from '../schema/field.ts'
import { holdsType, viewCells } from './cells.ts'
import { unpackCells } from './pack.ts'
import type { Cells, ColumnReader } from './section.ts'

/** A column where it lies in a snapshot, which it borrows. */
abstract class StoredColumn implements ColumnReader {
  readonly name: string
  readonly type: ColumnType
  readonly offset: number
  protected readonly rows: number

  constructor(name: string, type: ColumnType, offset: number, rows: number) {
    this.name = name
    this.type = type
    this.offset = offset
    this.rows = rows
  }

  abstract readInto(target: Cells): void
}

/** Cells as they are in memory, from `start` in the body on. */
export class RawColumn extends StoredColumn {
  private readonly body: Uint8Array
  private readonly start: number

  constructor(
    name: string,
    type: ColumnType,
    offset: number,
    rows: number,
    body: Uint8Array,
    start: number,
  ) {
    super(name, type, offset, rows)
    this.body = body
    this.start = start
  }

  readInto(target: Cells): void {
    const body = this.body
    assert(holdsType(target, this.type), 'A column is read into cells of its type')
    assert(this.rows <= target.length, 'A column is read into enough cells')
    // Contents begin on multiples of 8, in the body as in memory, so any type of view can be laid on.
    target.set(viewCells(this.type, body.buffer, body.byteOffset + this.start, this.rows))
  }
}

/** Cells in as few bits as they need. */
export class PackedColumn extends StoredColumn {
  private readonly words: Int32Array
  private readonly masks: Int32Array

  constructor(
    name: string,
    type: ColumnType,
    offset: number,
    rows: number,
    words: Int32Array,
    masks: Int32Array,
  ) {
    super(name, type, offset, rows)
    this.words = words
    this.masks = masks
  }

  readInto(target: Cells): void {
    const source = { words: this.words, at: 0, masks: this.masks, offset: this.offset }
    unpackCells(this.type, source, this.rows, target)
  }
}
