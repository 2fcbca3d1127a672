import { UsageError } from '../../base/errors.ts'
import type { ColumnType, ShownCell } from '../schema/field.ts'
import { viewCells } from '../snapshot/cells.ts'
import type { Cells } from '../snapshot/section.ts'
import type { AnyPart, PartDeclarations } from './part.ts'
import type { State } from './state.ts'
import type { TableDeclaration, TablePart } from './table.ts'
import type { LivingFields, ReadonlyCellColumn, TableFields } from './table-rows.ts'

/**
 * The tick before the current one, for drawing in between. Only the columns that a game names in
 * `render` are copied, once per tick, so a game that draws two columns of forty pays for two.
 */

/**
 * How a field is drawn between two ticks: `lerp` runs straight from old to new, `angle` takes the short way
 * round, `snap` shows the new value. A full turn is 2π in `fixed`, `f32` and `f64`; in whole numbers it is
 * as many steps as the field has values: 65 536 in a `u16`, as in `fixed.sinTurns`. An interpolated angle
 * may exceed the ends of the range by less than half a turn.
 */
export type BlendMode = 'lerp' | 'angle' | 'snap'

/** The columns to draw between ticks, by table: `{ units: { x: 'lerp', heading: 'angle' } }`. */
export type RenderDeclaration<S extends PartDeclarations> = {
  readonly [K in keyof S as S[K] extends TableDeclaration<TableFields>
    ? K
    : never]?: S[K] extends TableDeclaration<infer F>
    ? { readonly [C in keyof LivingFields<F>]?: BlendMode }
    : never
}

/** The kept columns as they were one tick ago. */
export type PreviousOf<S extends PartDeclarations, R> = {
  readonly [K in keyof R & keyof S]: { readonly [C in keyof R[K]]: ReadonlyCellColumn }
}

/** The drawn value of a kept field for one row, with fixed-point numbers as ordinary ones. */
export type BlendOf<R> = {
  readonly [K in keyof R]: { readonly [C in keyof R[K]]: (row: number, alpha: number) => number }
}

/** One kept column: the current cells and where their copies go. */
export type Kept = {
  readonly table: TablePart<TableFields>
  readonly type: ColumnType
  readonly current: Cells
  readonly previous: Cells
}

const oneTurn = 2 * Math.PI

/** Interpolates from `previous` to `current` at `alpha` (0 to 1). Exactly `current` at 1. */
export function lerp(previous: number, current: number, alpha: number): number {
  return alpha >= 1 ? current : previous + (current - previous) * alpha
}

/** Interpolates angles, the short way round a full `turn` (radians by default). */
export function lerpAngle(
  previous: number,
  current: number,
  alpha: number,
  turn: number = oneTurn,
): number {
  if (alpha >= 1) return current
  const difference = current - previous
  const shortest = difference - turn * Math.round(difference / turn)
  return previous + shortest * alpha
}

/** Keeps last tick's columns of one simulation and blends them with the current ones. */
export class PreviousTick<S extends PartDeclarations, R extends RenderDeclaration<S>> {
  readonly previous: PreviousOf<S, R>
  readonly blend: BlendOf<R>
  /** What is copied, in the sequence in which `render` names it. */
  readonly kept: readonly Kept[]

  constructor(state: State<S>, render: R) {
    const kept: Kept[] = []
    const previous: { [table: string]: { [column: string]: ReadonlyCellColumn } } = {}
    const blend: { [table: string]: { [column: string]: unknown } } = {}
    for (const [name, columns] of Object.entries(render as object)) {
      const part = state.part(name) as TablePart<TableFields>
      const life = keep(part, part.life.cells, 'u32', kept)
      const previousColumns: { [column: string]: ReadonlyCellColumn } = {}
      const blendColumns: { [column: string]: unknown } = {}
      for (const [field, mode] of Object.entries(columns as { [field: string]: BlendMode })) {
        const column = part.column(field)
        const cells = keep(part, column.cells, column.codec.type, kept)
        previousColumns[field] = cells
        blendColumns[field] = makeBlend(mode, column.codec.shown, cells, column.cells, life, part)
      }
      previous[name] = previousColumns
      blend[name] = blendColumns
    }
    this.kept = kept
    this.previous = previous as PreviousOf<S, R>
    this.blend = blend as BlendOf<R>
  }

  /** Copies what is current; called before a tick runs. */
  capture(): void {
    for (const { table, current, previous } of this.kept) {
      const rows = table.rows.rowsUsed
      if (rows === current.length) previous.set(current)
      else previous.set(current.subarray(0, rows))
    }
  }
}

function keep(
  table: TablePart<TableFields>,
  current: Cells,
  type: ColumnType,
  kept: Kept[],
): Cells {
  const previous = viewCells(type, new ArrayBuffer(current.byteLength), 0, current.length)
  kept.push({ table, type, current, previous })
  return previous
}

function makeBlend(
  mode: BlendMode,
  { scale, turn }: ShownCell,
  previous: Cells,
  current: Cells,
  previousLife: Cells,
  part: TablePart<TableFields>,
): (row: number, alpha: number) => number {
  const life = part.life.cells
  const mix = mode === 'angle' ? lerpAngle : lerp
  return (row, alpha) => {
    const now = (current[row] as number) * scale
    // A row that was born in this tick, or took over a dead one's place, has nothing to come from.
    if (mode === 'snap' || life[row] !== previousLife[row]) return now
    return mix((previous[row] as number) * scale, now, alpha, turn)
  }
}

/** Throws unless every named table and column exists and every mode is one. */
export function checkRender(
  render: object,
  declarations: { readonly [name: string]: AnyPart },
): void {
  for (const [name, columns] of Object.entries(render)) {
    const declaration = declarations[name]
    if (declaration?.kind !== 'table') {
      throw new UsageError(
        'SS_BAD_DEFINITION',
        `Cannot render '${name}' between ticks: it is not a table of this game`,
      )
    }
    const fields = (declaration as TableDeclaration<TableFields>).fields
    for (const [field, mode] of Object.entries(columns as object)) {
      if (fields[field] === undefined) {
        const known = Object.keys(fields).join(', ')
        throw new UsageError(
          'SS_BAD_DEFINITION',
          `Cannot render '${name}.${field}' between ticks: the columns are ${known}`,
        )
      }
      if (mode !== 'lerp' && mode !== 'angle' && mode !== 'snap') {
        throw new UsageError(
          'SS_BAD_DEFINITION',
          `Cannot render '${name}.${field}' as '${String(mode)}': write 'lerp', 'angle' or 'snap'`,
        )
      }
    }
  }
}
