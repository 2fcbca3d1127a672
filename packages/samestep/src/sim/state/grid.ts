import { UsageError } from '../../base/errors.ts'
import type { ReadonlyCellColumn, TableReader } from './table-rows.ts'

/**
 * A spatial grid over a table: which rows are near a place, without looking at all of them.
 *
 * Derived data: it follows from the positions, is rebuilt each tick, and is never hashed or saved. Building
 * is a counting sort, so rows within a cell are in row order, and a query visits cells line by line: the
 * sequence of results is the same on every machine.
 */
export interface GridOptions {
  /** Width and height of a cell, in the unit of the positions. Choose about the usual query radius. */
  readonly cellSize: number
  /** The number of cells per line, and of lines. Positions outside belong to the nearest border cell. */
  readonly columns: number
  readonly lines: number
  /** The position of the first cell's corner. Defaults to 0. */
  readonly left?: number
  readonly top?: number
}

/** Cells of one grid: 16 MB of cursors, far beyond a useful grid. */
const cellsMax = 2 ** 22

/** The rows of a table by position. Create one in `derived` and rebuild it there. */
export class SpatialGrid {
  readonly #cellSize: number
  readonly #columns: number
  readonly #lines: number
  readonly #left: number
  readonly #top: number
  /** `#starts[c]` to `#starts[c + 1]` of `#rows` are the rows in cell c. */
  readonly #starts: Int32Array
  #rows: Int32Array
  #cellOfRow: Int32Array
  #x: ReadonlyCellColumn = []
  #y: ReadonlyCellColumn = []

  constructor(options: GridOptions) {
    const { cellSize, columns, lines } = options
    const isFine =
      cellSize > 0 &&
      Number.isInteger(columns) &&
      Number.isInteger(lines) &&
      columns > 0 &&
      lines > 0 &&
      columns * lines <= cellsMax
    if (!isFine) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot make a grid of ${columns} × ${lines} cells of size ${cellSize}: all must be positive, with at most ${cellsMax} cells`,
      )
    }
    this.#cellSize = cellSize
    this.#columns = columns
    this.#lines = lines
    this.#left = options.left ?? 0
    this.#top = options.top ?? 0
    this.#starts = new Int32Array(columns * lines + 1)
    this.#rows = new Int32Array(0)
    this.#cellOfRow = new Int32Array(0)
  }

  /** Sorts all living rows into cells by their current positions. Later moves are not tracked. */
  rebuild(table: TableReader, x: ReadonlyCellColumn, y: ReadonlyCellColumn): void {
    if (this.#rows.length < table.rowsMax) {
      this.#rows = new Int32Array(table.rowsMax)
      this.#cellOfRow = new Int32Array(table.rowsMax)
    }
    this.#x = x
    this.#y = y
    const starts = this.#starts
    const cellOfRow = this.#cellOfRow
    const rowsUsed = table.rowsUsed
    starts.fill(0)
    for (let row = 0; row < rowsUsed; row++) {
      const cell = table.isAlive(row) ? this.#cellAt(x[row] as number, y[row] as number) : -1
      cellOfRow[row] = cell
      if (cell >= 0) starts[cell + 1]! += 1
    }
    for (let cell = 1; cell < starts.length; cell++) starts[cell]! += starts[cell - 1]!
    // Moved up by one, so that counting up while filling leaves each start where it belongs.
    const rows = this.#rows
    for (let cell = starts.length - 1; cell > 0; cell--) starts[cell] = starts[cell - 1] as number
    for (let row = 0; row < rowsUsed; row++) {
      const cell = cellOfRow[row] as number
      if (cell >= 0) rows[starts[cell + 1]!++] = row
    }
  }

  /**
   * Writes the rows within `radius` of a place into `out` and returns their number: at most `out.length`,
   * cell by cell, in row order within a cell. Distances are measured at the time of the call, with the
   * columns given to {@link rebuild}.
   */
  query(x: number, y: number, radius: number, out: Int32Array): number {
    const firstColumn = this.#clampColumn(x - radius)
    const lastColumn = this.#clampColumn(x + radius)
    const lastLine = this.#clampLine(y + radius)
    const limit = radius * radius
    let count = 0
    for (let line = this.#clampLine(y - radius); line <= lastLine; line++) {
      const from = this.#starts[line * this.#columns + firstColumn] as number
      const to = this.#starts[line * this.#columns + lastColumn + 1] as number
      for (let index = from; index < to; index++) {
        const row = this.#rows[index] as number
        const dx = (this.#x[row] as number) - x
        const dy = (this.#y[row] as number) - y
        if (dx * dx + dy * dy > limit) continue
        if (count === out.length) return count
        out[count++] = row
      }
    }
    return count
  }

  /** Calls `visit` for each row in the cell at a place, in row order. */
  eachInCell(x: number, y: number, visit: (row: number) => void): void {
    const cell = this.#cellAt(x, y)
    const end = this.#starts[cell + 1] as number
    for (let index = this.#starts[cell] as number; index < end; index++) {
      visit(this.#rows[index] as number)
    }
  }

  /** Whether two grids have the same content, for checking derived data against a fresh build. */
  equals(other: SpatialGrid): boolean {
    const total = this.#starts[this.#starts.length - 1] as number
    return (
      this.#starts.length === other.#starts.length &&
      this.#starts.every((start, cell) => start === other.#starts[cell]) &&
      this.#rows.subarray(0, total).every((row, index) => row === other.#rows[index])
    )
  }

  #cellAt(x: number, y: number): number {
    return this.#clampLine(y) * this.#columns + this.#clampColumn(x)
  }

  #clampColumn(x: number): number {
    return clamp(Math.floor((x - this.#left) / this.#cellSize), this.#columns - 1)
  }

  #clampLine(y: number): number {
    return clamp(Math.floor((y - this.#top) / this.#cellSize), this.#lines - 1)
  }
}

/** NaN, which compares false to everything, ends up in cell 0: the same on every machine. */
function clamp(value: number, max: number): number {
  return value > max ? max : value > 0 ? value : 0
}
