/** Values that a column cannot keep as they are: what they are called, and what to do about them. */
import { UsageError } from '../../base/errors.ts'
import { show } from '../schema/base-field.ts'
import type { Column } from '../state/columns.ts'
import type { WrittenCell } from './checked-cells.ts'
import type { CodePlace } from './code-watch.ts'
import { placeText } from './code-watch.ts'

/** A value that did not fit its cell, and how often this happened in the tick. */
export interface CellMisfit {
  /** The table, single or queue. */
  readonly part: string
  /** The row, or the position in a queue; `undefined` for a single. */
  readonly row: number | undefined
  readonly field: string
  /** What was written: a number, or a text that describes anything else. */
  readonly value: number | string
  /** What the cell holds now; `undefined` if there is no field of that name. */
  readonly kept: number | undefined
  /** The function of the game that wrote it: `step 'move'`, `apply 'build'`, `setup`. */
  readonly writer: string
  /** The number of cells of this column where the same function did the same in this tick. */
  readonly cells: number
}

/** How a value can fail to fit. Each wants another remedy. */
type MisfitSort = 'no-number' | 'fraction' | 'wrapped' | 'illegal'

/** Whether a column keeps the value as it is. One that goes round, as angles do, keeps every whole number. */
export function fitsCell({ codec }: Column, given: unknown, goesRound: boolean): boolean {
  if (typeof given !== 'number')
    return typeof given === 'boolean' && codec.min <= 0 && codec.max >= 1
  if (codec.type === 'f32' || codec.type === 'f64') return true
  return Number.isInteger(given) && (goesRound || (given >= codec.min && given <= codec.max))
}

/** How a value that does not fit fails to. */
function misfitSort(given: unknown, kept: number): MisfitSort {
  if (typeof given !== 'number' || Number.isNaN(given)) return 'no-number'
  if (given === kept) return 'illegal'
  return Number.isInteger(given) || !Number.isFinite(given) ? 'wrapped' : 'fraction'
}

/** The error that names cell, value and remedy. Its stack begins with the line that wrote. */
export function misfitError(
  // biome-ignore lint/complexity/noBannedTypes: whichever function game code called.
  above: Function,
  { part, column, row }: WrittenCell,
  place: CodePlace,
  given: unknown,
  kept: number,
): UsageError {
  const { kind } = column.field
  const { min, max, type } = column.codec
  const sort = misfitSort(given, kept)
  const cell = `${part}.${column.name}${row === undefined ? '' : `[${row}]`}`
  const isFloat = type === 'f32' || type === 'f64'
  const what = isFloat ? kind : `${kind}, whole numbers from ${min} to ${max}`
  const isLegal = isFloat || (kept >= min && kept <= max)
  const became = `it ${sort === 'illegal' ? 'is kept' : `became ${kept}`}${isLegal ? '' : ', but a snapshot with it cannot be loaded'}`
  const error = new UsageError(
    'SS_BAD_VALUE',
    `Cannot keep ${show(given)} in ${cell} (${what}), written by ${placeText(place)}: ${became}; ${remedy(kind, sort, given)}`,
  )
  captureStack?.(error, above)
  return error
}

/** The error for a name in `add` or `push` that no field has: its value is left out. */
export function strayNameError(
  // biome-ignore lint/complexity/noBannedTypes: whichever function game code called.
  above: Function,
  part: string,
  columns: readonly Column[],
  place: CodePlace,
  name: string,
): UsageError {
  const known = columns.map((column) => column.name).join(', ')
  const error = new UsageError(
    'SS_BAD_VALUE',
    `Cannot set '${name}' of a row of '${part}' in ${placeText(place)}: it is ignored; the fields are ${known}`,
  )
  captureStack?.(error, above)
  return error
}

const { captureStackTrace: captureStack } = Error as {
  // biome-ignore lint/complexity/noBannedTypes: as the engines that have it declare it.
  readonly captureStackTrace?: (error: Error, above: Function) => void
}

function remedy(kind: string, sort: MisfitSort, given: unknown): string {
  switch (sort) {
    case 'no-number':
      return 'look for a value that is missing, or was never set'
    case 'fraction':
      return kind === 'fixed'
        ? `a fixed-point number is a count of 65 536ths: write fixed.from(${show(given)}) for the number itself, or Math.trunc(…) after a division`
        : 'write Math.floor(…) or Math.round(…), or declare it as fixed, f32 or f64'
    case 'wrapped':
      return 'bound it with Math.min and Math.max, declare a wider type, or write x & mask for a value that should wrap'
    case 'illegal':
      return 'bound it with Math.min and Math.max, or declare wider limits'
  }
}
