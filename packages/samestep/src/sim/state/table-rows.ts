import { UsageError } from '../../base/errors.ts'
import type { AnyField, RecordOf, RetiredField } from '../schema/field.ts'
import type { Column } from './columns.ts'

/**
 * The rows of one table: which live, which are free, and how a ref finds its row again.
 *
 * Each row has a `life` cell that counts births and deaths: odd while the row lives. A ref is the row
 * number in the low bits and the row's birth count above it, so that a ref to a row that died, even
 * one whose place is taken again, is told from a ref to a living one. New rows take the lowest free
 * place. That makes reuse a function of which rows live, not of the sequence in which others died,
 * keeps tables compact, and needs no list that would have to be saved.
 */

/** One column as game code sees it: plain indexing by row. */
export interface CellColumn {
  [row: number]: number
  readonly length: number
  fill(value: number, fromRow?: number, toRow?: number): unknown
}

/** One column as rendering sees it. */
export interface ReadonlyCellColumn {
  readonly [row: number]: number
  readonly length: number
}

/** The fields that a table's columns are made of. */
export type TableFields = { readonly [name: string]: AnyField }

/** The fields that have a column: those that no `until` has retired. */
export type LivingFields<F extends TableFields> = {
  readonly [K in keyof F as F[K] extends RetiredField ? never : K]: F[K]
}

/** Read access to a table's rows. */
export interface TableReader extends Iterable<number> {
  /** The maximum number of rows. */
  readonly rowsMax: number
  /** The number of living rows. */
  readonly count: number
  /** One more than the highest row that was ever alive. Loops over columns can stop there. */
  readonly rowsUsed: number
  isAlive(row: number): boolean
  /** The lowest living row, or -1. */
  first(): number
  /** The next living row after `row`, or -1. */
  next(row: number): number
  /** A number that identifies this row as long as it is alive; never 0. */
  refOf(row: number): number
  /** The row of a ref, or -1 if the row is dead, was reused or never existed. */
  rowOf(ref: number): number
}

/** A table as `step` sees it: rows to add and remove, and a typed array per column. */
export type Table<F extends TableFields> = TableReader & {
  /**
   * Adds a row, using the lowest free one, and returns its number. Fields not named get their defaults. A
   * value that does not fit is stored as the column converts it; in development this is reported as a
   * fault.
   *
   * @throws UsageError `SS_TABLE_FULL` if `rowsMax` rows are alive.
   */
  add(values?: Partial<RecordOf<LivingFields<F>>>): number
  /**
   * Removes a row. Its cells become 0, and refs to it become stale at once.
   *
   * @throws UsageError `SS_STALE_ROW` if the row is not alive.
   */
  remove(row: number): void
} & { readonly [K in keyof LivingFields<F>]: CellColumn }

/** A table as rendering sees it. */
export type TableView<F extends TableFields> = TableReader & {
  readonly [K in keyof LivingFields<F>]: ReadonlyCellColumn
}

/** Names that a column cannot have, because a table has them already. */
export const reservedColumnNames: ReadonlySet<string> = new Set([
  'add',
  'remove',
  'rowsMax',
  'count',
  'rowsUsed',
  'isAlive',
  'first',
  'next',
  'refOf',
  'rowOf',
])

/** The machinery behind {@link Table}. Columns are added as own properties by the table part. */
export class TableRows {
  readonly #name: string
  readonly #columns: readonly Column[]
  readonly #life: Uint32Array
  /** One bit per row, set while the row is free. Follows from `life`; never saved. */
  readonly #free: Uint32Array
  readonly #rowBits: number
  readonly #rowMask: number
  readonly #generationMax: number
  /** No word of `#free` before this one has a bit set. */
  #firstFreeWord = 0
  #count = 0
  #rowsUsed = 0
  readonly rowsMax: number

  constructor(name: string, columns: readonly Column[], life: Uint32Array, rowsMax: number) {
    this.#name = name
    this.#columns = columns
    this.#life = life
    this.rowsMax = rowsMax
    this.#free = new Uint32Array(Math.ceil(rowsMax / 32))
    this.#rowBits = rowBitsFor(rowsMax)
    this.#rowMask = (1 << this.#rowBits) - 1
    this.#generationMax = 0xffff_ffff >>> this.#rowBits
    this.refresh(0)
  }

  get count(): number {
    return this.#count
  }

  get rowsUsed(): number {
    return this.#rowsUsed
  }

  add(values?: { readonly [name: string]: unknown }): number {
    const row = this.#takeFreeRow()
    const columns = this.#columns
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index] as Column
      const value = values?.[column.name]
      // What does not fit is kept as a column keeps it, in every mode: a state must not depend on it.
      column.cells[row] = value === undefined ? column.defaultCell : column.codec.toCell(value)
    }
    return row
  }

  remove(row: number): void {
    if (!this.isAlive(row)) {
      throw new UsageError(
        'SS_STALE_ROW',
        `Cannot remove row ${row} of table '${this.#name}': it is not alive; test isAlive(row) first`,
      )
    }
    for (const column of this.#columns) column.cells[row] = 0
    this.#life[row]! += 1
    const word = row >>> 5
    this.#free[word]! |= 1 << (row & 31)
    if (word < this.#firstFreeWord) this.#firstFreeWord = word
    this.#count -= 1
  }

  isAlive(row: number): boolean {
    // Rows outside the table read as undefined, which has no lowest bit.
    return ((this.#life[row] as number) & 1) === 1
  }

  first(): number {
    return this.next(-1)
  }

  next(row: number): number {
    const life = this.#life
    const end = this.#rowsUsed
    for (let candidate = row + 1; candidate < end; candidate++) {
      if ((life[candidate]! & 1) === 1) return candidate
    }
    return -1
  }

  *[Symbol.iterator](): IterableIterator<number> {
    for (let row = this.next(-1); row >= 0; row = this.next(row)) yield row
  }

  refOf(row: number): number {
    if (!this.isAlive(row)) {
      throw new UsageError(
        'SS_STALE_ROW',
        `Cannot make a ref to row ${row} of table '${this.#name}': it is not alive`,
      )
    }
    return ((this.#generationOf(row) << this.#rowBits) | row) >>> 0
  }

  rowOf(ref: number): number {
    const row = ref & this.#rowMask
    if (!this.isAlive(row)) return -1
    return ref >>> this.#rowBits === this.#generationOf(row) ? row : -1
  }

  /** Works out again what follows from the life cells, after a load or a reset. */
  refresh(rowsUsed: number): void {
    this.#rowsUsed = rowsUsed
    this.#firstFreeWord = 0
    this.#count = 0
    const free = this.#free
    free.fill(0)
    for (let row = 0; row < this.rowsMax; row++) {
      if (row < rowsUsed && (this.#life[row]! & 1) === 1) this.#count += 1
      else free[row >>> 5]! |= 1 << (row & 31)
    }
  }

  #takeFreeRow(): number {
    const free = this.#free
    let word = this.#firstFreeWord
    while (word < free.length && free[word] === 0) word += 1
    this.#firstFreeWord = word
    if (word === free.length) {
      throw new UsageError(
        'SS_TABLE_FULL',
        `Cannot add a row to table '${this.#name}': all ${this.rowsMax} rows are in use; remove one, or declare a larger maximum`,
      )
    }
    const bits = free[word]!
    const bit = 31 - Math.clz32(bits & -bits)
    free[word] = bits & ~(1 << bit)
    const row = word * 32 + bit
    this.#life[row]! += 1
    this.#count += 1
    if (row >= this.#rowsUsed) this.#rowsUsed = row + 1
    return row
  }

  /** Births of a row, folded into what a ref has room for, and never 0: the ref 0 means "none". */
  #generationOf(row: number): number {
    const births = (this.#life[row]! + 1) >>> 1
    return ((births - 1) % this.#generationMax) + 1
  }
}

/** The most rows of one table: leaves 8 bits of a ref for telling a row's lives apart. */
export const tableRowsMax = 2 ** 24

/** Bits of a ref that number the row. */
export function rowBitsFor(rowsMax: number): number {
  return 32 - Math.clz32(Math.max(rowsMax - 1, 1))
}
