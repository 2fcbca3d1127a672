import { makeLabel } from '../hash/label.ts'
import type { LeafFormat, LeafLabel, LeafVisitor } from '../hash/leaf.ts'
import type { StateMemory } from '../hash/memory.ts'
import { leafRowsMax } from '../limits.ts'
import type { AnyField, ColumnCodec, ColumnType } from '../schema/field.ts'
import type { Cells } from '../snapshot/section.ts'
import type { Allocator } from './part.ts'

/** Bytes of one cell. */
export const cellBytes: { readonly [T in ColumnType]: number } = {
  u8: 1,
  u16: 2,
  u32: 4,
  i8: 1,
  i16: 2,
  i32: 4,
  f32: 4,
  f64: 8,
}

/** A view of `length` cells of one type. */
export function makeCells(
  type: ColumnType,
  buffer: ArrayBuffer,
  start: number,
  length: number,
): Cells {
  switch (type) {
    case 'u8':
      return new Uint8Array(buffer, start, length)
    case 'u16':
      return new Uint16Array(buffer, start, length)
    case 'u32':
      return new Uint32Array(buffer, start, length)
    case 'i8':
      return new Int8Array(buffer, start, length)
    case 'i16':
      return new Int16Array(buffer, start, length)
    case 'i32':
      return new Int32Array(buffer, start, length)
    case 'f32':
      return new Float32Array(buffer, start, length)
    case 'f64':
      return new Float64Array(buffer, start, length)
  }
}

/** One column in memory: its cells, where they are, and the labels of its leaves. */
export class Column {
  readonly name: string
  readonly field: AnyField
  readonly codec: ColumnCodec<unknown>
  readonly cells: Cells
  /** Byte offset of row 0 in the state memory. */
  readonly start: number
  readonly format: LeafFormat
  /** The cell of a row that `add` was told nothing about. */
  readonly defaultCell: number
  readonly #bytesPerCell: number
  readonly #labels: LeafLabel[]

  constructor(
    part: string,
    name: string,
    field: AnyField,
    rowsMax: number,
    memory: StateMemory,
    allocator: Allocator,
  ) {
    const codec = field.column as ColumnCodec<unknown>
    this.name = name
    this.field = field
    this.codec = codec
    this.#bytesPerCell = cellBytes[codec.type]
    this.start = allocator.take(rowsMax * this.#bytesPerCell)
    this.cells = makeCells(codec.type, memory.buffer, this.start, rowsMax)
    this.format = codec.type === 'f32' || codec.type === 'f64' ? codec.type : 'raw'
    this.defaultCell = codec.toCell(field.makeDefault())
    this.#labels = []
    for (let block = 0; block * leafRowsMax < rowsMax; block++) {
      this.#labels.push(makeLabel(`${part}/${name}/${block}`))
    }
  }

  byteLength(rows: number): number {
    return rows * this.#bytesPerCell
  }

  visitLeaves(visitor: LeafVisitor, memory: StateMemory, rows: number): void {
    const labels = this.#labels
    const bytesPerCell = this.#bytesPerCell
    for (let block = 0, row = 0; row < rows; block++, row += leafRowsMax) {
      const blockRows = Math.min(leafRowsMax, rows - row)
      visitor.leaf(
        labels[block] as LeafLabel,
        memory.bytes,
        this.start + row * bytesPerCell,
        blockRows * bytesPerCell,
        this.format,
      )
    }
  }

  /** Makes float cells canonical; integers always are. */
  normalise(memory: StateMemory, rows: number): void {
    if (this.format !== 'raw') {
      memory.kernel.normalise(this.start, rows * this.#bytesPerCell, this.format)
    }
  }
}
