import { makeLabel } from '../hash/label.ts'
import type { LeafFormat, LeafLabel, LeafVisitor } from '../hash/leaf.ts'
import type { StateMemory } from '../hash/memory.ts'
import { leafRowsMax } from '../limits.ts'
import type { AnyField, ColumnCodec } from '../schema/field.ts'
import { cellBytes, viewCells } from '../snapshot/cells.ts'
import type { Cells } from '../snapshot/section.ts'
import type { Allocator } from './part.ts'

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
    this.cells = viewCells(codec.type, memory.buffer, this.start, rowsMax)
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
