/**
 * Fills the columns of today's table from the columns of a file, which another version of the game may
 * have written.
 *
 * - A field finds its column under its name or, if it has been renamed, under one that it had before.
 * - A field that is younger than the file (`since`) gets its default in every row.
 * - A column of a field that has ended (`until`) is passed over.
 * - A column of another type is converted if every cell survives it.
 * - Every cell is checked against its field, because the file may be a stranger's.
 *
 * Only numbers are compared: that 7 still means what it meant is up to the game. A field whose meaning
 * changes needs a new name.
 */
import { assert } from '../../base/assert.ts'
import { WireError } from '../../base/errors.ts'
import type { AnyField, ColumnCodec } from '../schema/field.ts'
import { cellRanges, makeCells } from './cells.ts'
import { checkFloats } from './float-check.ts'
import type { Cells, ColumnReader, TableSection } from './section.ts'

/** A column of today's game that is to be filled. */
export interface TargetColumn {
  readonly name: string
  readonly field: AnyField
  /** At least as many cells as the most rows that are accepted. */
  readonly cells: Cells
}

/** What decides about columns that do not fit exactly. */
export interface ColumnLoadOptions {
  /** Version of the game that wrote the file. */
  readonly fileVersion: number
  /** Version of the game that reads it. */
  readonly gameVersion: number
  /** What happens to columns that the game has never declared. */
  readonly unknown: 'refuse' | 'skip'
  /** Names, also former ones, of fields that have ended: their columns are passed over. */
  readonly retired?: readonly string[]
  /**
   * Whether a row is free. Its cells are zero, also where the field does not allow a zero. Asked only
   * about such cells, when all columns before the one in question are filled.
   */
  readonly isFreeRow?: (row: number) => boolean
}

/**
 * Reads a table's columns into `columns`, in their sequence. Rows beyond those of the file are not
 * touched. After a throw the cells hold anything.
 *
 * @throws WireError `SS_WIRE_TOO_LARGE` above `rowsMax` rows, `SS_WIRE_MISMATCH` for a column that is
 * missing, `SS_WIRE_UNKNOWN` for one too many, `SS_WIRE_OUT_OF_RANGE` or `SS_WIRE_NOT_CANONICAL` for a
 * cell that its field does not allow.
 */
export function loadColumns(
  section: TableSection,
  columns: readonly TargetColumn[],
  options: ColumnLoadOptions,
  rowsMax: number,
): void {
  const { name, rows } = section
  if (rows > rowsMax) {
    const sizes = `${rows} rows; the limit is ${rowsMax}`
    throw new WireError(
      'SS_WIRE_TOO_LARGE',
      section.offset,
      `Cannot load table '${name}' of ${sizes}`,
    )
  }
  const sources = matchColumns(section, columns, options)
  for (const target of columns) {
    assert(target.cells.length >= rows, 'A column has room for all rows')
    const codec = target.field.column as ColumnCodec<unknown>
    const source = sources.get(target.name)
    if (source === undefined) {
      target.cells.fill(codec.toCell(target.field.makeDefault()), 0, rows)
    } else if (source.type === codec.type) {
      source.readInto(target.cells)
    } else {
      convert(source, target, rows)
    }
    if (source !== undefined) checkCells(source, target, codec, rows, options)
  }
}

/** Finds the file's column for each target; those that get their default are left out. */
function matchColumns(
  section: TableSection,
  columns: readonly TargetColumn[],
  options: ColumnLoadOptions,
): ReadonlyMap<string, ColumnReader> {
  const unclaimed = new Map(section.columns.map((column) => [column.name, column]))
  const matches = new Map<string, ColumnReader>()
  const claim = (target: TargetColumn, name: string): void => {
    const column = unclaimed.get(name)
    if (column === undefined || matches.has(target.name)) return
    unclaimed.delete(name)
    matches.set(target.name, column)
  }
  // A field that the file's version did not have yet may bear the former name of another.
  const expected = columns.filter(({ field }) => field.history.since <= options.fileVersion)
  for (const target of expected) claim(target, target.name)
  for (const target of expected) for (const name of target.field.history.was) claim(target, name)
  for (const { name } of expected) {
    if (matches.has(name)) continue
    throw new WireError(
      'SS_WIRE_MISMATCH',
      section.offset,
      `Cannot load table '${section.name}' of version ${options.fileVersion} into version ${options.gameVersion}: it has no column '${name}'`,
    )
  }
  for (const column of unclaimed.values()) {
    if (options.unknown === 'skip' || options.retired?.includes(column.name)) continue
    throw new WireError(
      'SS_WIRE_UNKNOWN',
      column.offset,
      `Cannot load table '${section.name}': column '${column.name}' is not declared`,
    )
  }
  return matches
}

/** Reads cells of another type; each must be the same number afterwards. */
function convert(source: ColumnReader, target: TargetColumn, rows: number): void {
  const { cells } = target
  const from = makeCells(source.type, rows)
  source.readInto(from)
  const isFloat = cells instanceof Float32Array || cells instanceof Float64Array
  for (let row = 0; row < rows; row++) {
    const value = from[row]!
    cells[row] = value
    if (cells[row] === value || (isFloat && Number.isNaN(value))) continue
    throw badCell(source, target, row, `${value} does not fit ${target.field.column?.type}`)
  }
}

function checkCells(
  source: ColumnReader,
  target: TargetColumn,
  codec: ColumnCodec<unknown>,
  rows: number,
  options: ColumnLoadOptions,
): void {
  const { cells } = target
  const { type, min, max } = codec
  if (type === 'f32' || type === 'f64') checkFloats(cells, rows, source)
  const [typeMin, typeMax] = cellRanges[type]
  if (min <= typeMin && max >= typeMax) return
  for (let row = 0; row < rows; row++) {
    const cell = cells[row]!
    if (cell >= min && cell <= max) continue
    if (cell === 0 && options.isFreeRow?.(row)) continue
    throw badCell(source, target, row, `${cell} is not from ${min} to ${max}`)
  }
}

function badCell(source: ColumnReader, target: TargetColumn, row: number, what: string): WireError {
  const place = `column '${target.name}', row ${row}`
  return new WireError('SS_WIRE_OUT_OF_RANGE', source.offset, `Cannot load ${place}: ${what}`)
}
