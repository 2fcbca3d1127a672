import { UsageError, WireError } from '../../base/errors.ts'
import type { StateMemory } from '../hash/memory.ts'
import { leafRowsMax } from '../limits.ts'
import type { AnyField, ColumnType, Json } from '../schema/field.ts'
import { cellBytes, viewCells } from '../snapshot/cells.ts'
import { loadColumns } from '../snapshot/migrate.ts'
import type { Cells, Section, SectionWriter } from '../snapshot/section.ts'
import { Column } from './columns.ts'
import type { Allocator, DeclarationContext, Difference, LeafValue, LoadOptions } from './part.ts'
import type { TableFields } from './table-rows.ts'

/** The columns of one part, in declared sequence: what tables, singles and queues share. */
export class ColumnSet {
  readonly columns: readonly Column[]
  /** The columns that may hold several cells for one value. */
  readonly #floats: readonly Column[]
  readonly #part: string
  readonly #memory: StateMemory
  /** Names, old and new, of fields that this version of the game no longer has. */
  readonly #retired: readonly string[]

  constructor(
    part: string,
    rowsMax: number,
    fields: TableFields,
    memory: StateMemory,
    allocator: Allocator,
  ) {
    this.#part = part
    this.#memory = memory
    this.columns = livingFields(fields).map(
      ([name, field]) => new Column(part, name, field, rowsMax, memory, allocator),
    )
    this.#floats = this.columns.filter(({ format }) => format !== 'raw')
    this.#retired = Object.entries(fields)
      .filter(([, field]) => isRetired(field))
      .flatMap(([name, field]) => [name, ...field.history.was])
  }

  column(name: string): Column {
    const found = this.columns.find((column) => column.name === name)
    if (found === undefined) {
      throw new UsageError('SS_BAD_ARGUMENT', `Cannot find column '${name}' in '${this.#part}'`)
    }
    return found
  }

  /** Every cell of a leaf; empty for a column that there is none of. */
  list(name: string, block: number, bytes: Uint8Array): LeafValue[] {
    const found = this.columns.find((column) => column.name === name)
    return found === undefined ? [] : listColumn(found, block, bytes)
  }

  clear(): void {
    for (const column of this.columns) column.cells.fill(0)
  }

  normalise(rows: number): void {
    for (const column of this.#floats) column.normalise(this.#memory, rows)
  }

  save(out: SectionWriter): void {
    for (const column of this.columns) out.column(column.name, column.codec.type, column.cells)
  }

  /**
   * Fills the columns from a file's section, old or new, and gives the number of rows. `life` is the
   * hidden column of a table's births and deaths: rows that do not live hold nothing to be checked.
   */
  load(section: Section, options: LoadOptions, rowsMax: number, life?: Column): number {
    if (section.kind !== 'table') {
      throw new WireError(
        'SS_WIRE_MISMATCH',
        0,
        `Section '${section.name}' holds bytes; part '${this.#part}' is made of columns`,
      )
    }
    if (life === undefined) {
      loadColumns(section, this.columns, { ...options, retired: this.#retired }, rowsMax)
      return section.rows
    }
    const isFreeRow = (row: number) => ((life.cells[row] as number) & 1) === 0
    const complete = { ...options, retired: this.#retired, isFreeRow }
    loadColumns(section, [life, ...this.columns], complete, rowsMax)
    return section.rows
  }

  /** A stranger's file may hold values in rows that do not live; ours never does. */
  zeroDeadRows(life: Uint32Array, rows: number): void {
    for (let row = 0; row < rows; row++) {
      if ((life[row]! & 1) === 0) for (const column of this.columns) column.cells[row] = 0
    }
  }
}

/** A field with `until` is only declared so that old snapshots load: it has no column any more. */
export function isRetired(field: AnyField): boolean {
  return field.history.until !== Number.POSITIVE_INFINITY
}

/** The fields that have a column. */
export function livingFields(fields: TableFields): [string, AnyField][] {
  return Object.entries(fields).filter(([, field]) => !isRetired(field))
}

const columnNamePattern = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Throws unless every field can be a column under its name. */
export function checkColumnFields(
  path: string,
  fields: TableFields,
  reserved: ReadonlySet<string>,
  context: DeclarationContext,
): void {
  const entries = Object.entries(fields)
  if (entries.length === 0) {
    throw new UsageError(
      'SS_BAD_DEFINITION',
      `Cannot declare ${path} without fields: name at least one`,
    )
  }
  for (const [name, field] of entries) {
    const place = `${path}.${name}`
    if (!columnNamePattern.test(name)) {
      throw new UsageError(
        'SS_BAD_DEFINITION',
        `Cannot name a column '${name}' in ${path}: use letters, digits and _`,
      )
    }
    if (reserved.has(name)) {
      throw new UsageError(
        'SS_BAD_DEFINITION',
        `Cannot name a column '${name}' in ${path}: the table itself has a member of that name`,
      )
    }
    if (field?.column === undefined) {
      throw new UsageError(
        'SS_BAD_DEFINITION',
        `Cannot keep ${place} in a column: a '${field?.kind ?? typeof field}' is not one number; use plain(…), or a second table with a ref`,
      )
    }
    checkRefs(place, field, context)
  }
}

/** Throws when a `ref` points to a table that the game does not declare. */
export function checkRefs(place: string, field: AnyField, context: DeclarationContext): void {
  for (const target of field.refTables) {
    if (!context.tables.has(target)) {
      const known = [...context.tables].join(', ') || 'none'
      throw new UsageError(
        'SS_BAD_DEFINITION',
        `Cannot declare ${place} as a ref to '${target}': the tables of this game are ${known}`,
      )
    }
  }
}

/** How many differing cells of one leaf are worth listing: enough to see a pattern, few to read. */
const differencesMax = 16

/** Names the rows on which two copies of one block of a column differ. */
export function explainColumn(
  part: string,
  column: Column,
  block: number,
  mine: Uint8Array,
  theirs: Uint8Array,
): Difference[] {
  const { type } = column.codec
  const a = cellsOf(type, mine)
  const b = cellsOf(type, theirs)
  const found: Difference[] = []
  const length = Math.max(a.length, b.length)
  for (let index = 0; index < length && found.length < differencesMax; index++) {
    const left = a[index]
    const right = b[index]
    // -0 and 0 are one value in a state, and so is every NaN.
    if (left === right || (Number.isNaN(left) && Number.isNaN(right))) continue
    found.push({
      part,
      row: block * leafRowsMax + index,
      field: column.name,
      mine: cellJson(column, left),
      theirs: cellJson(column, right),
    })
  }
  return found
}

/** Every cell of a leaf of a column. */
export function listColumn(column: Column, block: number, bytes: Uint8Array): LeafValue[] {
  const first = block * leafRowsMax
  return Array.from(cellsOf(column.codec.type, bytes), (cell, index) => ({
    row: first + index,
    field: column.name,
    value: cellJson(column, cell),
  }))
}

function cellsOf(type: ColumnType, bytes: Uint8Array): Cells {
  const copy = bytes.slice()
  return viewCells(type, copy.buffer, 0, Math.floor(copy.byteLength / cellBytes[type]))
}

/** A cell for a report. A row that one side does not have reads as null. */
function cellJson(column: Column, cell: number | undefined): Json {
  if (cell === undefined) return null
  const { min, max } = column.codec
  const isLegal = column.format !== 'raw' || (cell >= min && cell <= max)
  return isLegal ? column.field.toJson(column.codec.fromCell(cell)) : cell
}
