import { UsageError } from '../../base/errors.ts'
import type { LeafVisitor } from '../hash/leaf.ts'
import type { StateMemory } from '../hash/memory.ts'
import type { Json } from '../schema/field.ts'
import { u32 } from '../schema/index.ts'
import { cellBytes } from '../snapshot/cells.ts'
import type { Section, SectionWriter } from '../snapshot/section.ts'
import {
  ColumnSet,
  checkColumnFields,
  explainColumn,
  listColumn,
  livingFields,
} from './column-set.ts'
import { Column } from './columns.ts'
import type {
  Allocator,
  DeclarationContext,
  Difference,
  LeafValue,
  LoadOptions,
  PartContext,
  PartDeclaration,
  StatePart,
} from './part.ts'
import { paddedLength } from './part.ts'
import { readonlyTable } from './readonly.ts'
import type { Table, TableFields, TableView } from './table-rows.ts'
import { reservedColumnNames, TableRows, tableRowsMax } from './table-rows.ts'

/** The column of birth counts. No field can have this name, so nothing can clash with it. */
export const lifeColumn = '#life'

/** A declared table. Its type remembers the fields, so that `state` and `render` can be typed. */
export interface TableDeclaration<F extends TableFields>
  extends PartDeclaration<Table<F>, TableView<F>> {
  readonly kind: 'table'
  readonly fields: F
  readonly rowsMax: number
}

/**
 * Declares a table: up to `rowsMax` rows, one typed-array column per field.
 *
 * Memory for all rows is allocated when a simulation starts, so that ticks allocate nothing. Only scalar
 * fields can be columns; for lists, texts and nested values use `plain`, or a second table with a `ref`.
 *
 * @example
 * ```ts
 * units: table(10_000, { x: fixed, y: fixed, hp: i16.default(100), owner: seat })
 * ```
 */
export function table<const F extends TableFields>(
  rowsMax: number,
  fields: F,
): TableDeclaration<F> {
  return {
    kind: 'table',
    fields,
    rowsMax,
    check: (path, context) => checkTable(path, rowsMax, fields, context),
    describe: () => describeTable(rowsMax, fields),
    byteLength: () => columnsByteLength(rowsMax, fields) + paddedLength(rowsMax * cellBytes.u32),
    create: (name, context) => new TablePart<F>(name, rowsMax, fields, context),
  }
}

/** Throws unless `rowsMax` and every field can make a table. */
export function checkTable(
  path: string,
  rowsMax: number,
  fields: TableFields,
  context: DeclarationContext,
): void {
  if (!Number.isInteger(rowsMax) || rowsMax < 1 || rowsMax > tableRowsMax) {
    throw new UsageError(
      'SS_BAD_DEFINITION',
      `Cannot declare ${path} with ${rowsMax} rows: write a whole number from 1 to ${tableRowsMax}`,
    )
  }
  checkColumnFields(path, fields, reservedColumnNames, context)
}

/** The fingerprint's words for a table. */
export function describeTable(rowsMax: number, fields: TableFields): Json {
  return {
    kind: 'table',
    rowsMax,
    columns: Object.entries(fields).map(([name, field]) => [name, field.describe()]),
  }
}

/** The bytes that one column per field takes. */
export function columnsByteLength(rowsMax: number, fields: TableFields): number {
  let total = 0
  for (const [, field] of livingFields(fields)) {
    if (field.column) total += paddedLength(rowsMax * cellBytes[field.column.type])
  }
  return total
}

/** A table of one running simulation. */
export class TablePart<F extends TableFields> implements StatePart<Table<F>, TableView<F>> {
  readonly name: string
  readonly kind = 'table'
  readonly live: Table<F>
  readonly view: TableView<F>
  readonly rows: TableRows
  readonly life: Column
  readonly #memory: StateMemory
  readonly #set: ColumnSet

  constructor(name: string, rowsMax: number, fields: F, context: PartContext) {
    const { memory, allocator, development } = context
    this.name = name
    this.#memory = memory
    this.life = makeLifeColumn(name, rowsMax, memory, allocator)
    this.#set = new ColumnSet(name, rowsMax, fields, memory, allocator)
    this.rows = new TableRows(name, this.#set.columns, this.life.cells as Uint32Array, rowsMax)
    for (const column of this.#set.columns) {
      Object.defineProperty(this.rows, column.name, { value: column.cells, enumerable: true })
    }
    this.live = this.rows as unknown as Table<F>
    this.view = development
      ? (readonlyTable(name, this.rows, this.#set.columns) as unknown as TableView<F>)
      : (this.rows as unknown as TableView<F>)
  }

  /** All columns but the life cells, in declared sequence. */
  get columns(): readonly Column[] {
    return this.#set.columns
  }

  /** The column of a field, for whoever copies columns: the previous tick, the grid. */
  column(field: string): Column {
    return this.#set.column(field)
  }

  visitLeaves(visitor: LeafVisitor): void {
    const rows = this.rows.rowsUsed
    this.life.visitLeaves(visitor, this.#memory, rows)
    for (const column of this.#set.columns) column.visitLeaves(visitor, this.#memory, rows)
  }

  reset(): void {
    this.life.cells.fill(0)
    this.#set.clear()
    this.rows.refresh(0)
  }

  normalise(): void {
    this.#set.normalise(this.rows.rowsUsed)
  }

  save(out: SectionWriter): void {
    const rows = this.rows.rowsUsed
    out.beginTable(this.name, rows)
    out.column(lifeColumn, 'u32', this.life.cells)
    this.#set.save(out)
    out.endTable()
  }

  load(section: Section, options: LoadOptions): void {
    this.reset()
    const rows = this.#set.load(section, options, this.rows.rowsMax, this.life)
    this.#set.zeroDeadRows(this.life.cells as Uint32Array, rows)
    this.rows.refresh(rows)
  }

  explainLeaf(column: string, block: number, mine: Uint8Array, theirs: Uint8Array): Difference[] {
    const found = column === lifeColumn ? this.life : this.#set.column(column)
    return explainColumn(this.name, found, block, mine, theirs)
  }

  listLeaf(column: string, block: number, bytes: Uint8Array): LeafValue[] {
    if (column === lifeColumn) return listColumn(this.life, block, bytes)
    return this.#set.list(column, block, bytes)
  }
}

function makeLifeColumn(
  part: string,
  rowsMax: number,
  memory: StateMemory,
  allocator: Allocator,
): Column {
  return new Column(part, lifeColumn, u32, rowsMax, memory, allocator)
}
