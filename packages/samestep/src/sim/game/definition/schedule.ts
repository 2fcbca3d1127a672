import { UsageError } from '../../../base/errors.ts'
import { u32 } from '../../schema/index.ts'
import type { Single } from '../../state/single.ts'
import { single } from '../../state/single.ts'
import type { TableReader } from '../../state/table-rows.ts'

/**
 * Work spread over ticks. Everything here is a function of the tick, of ids, or of a cursor that is
 * part of the state: whoever joins late does the same work in the same tick. Budgets are counted in
 * operations; work cut off by a clock would differ between a fast machine and a slow one.
 */

/** True every `every` ticks, first at `offset`. */
export function isDue(tick: number, every: number, offset = 0): boolean {
  checkPeriod(every)
  return (tick - offset) % every === 0
}

/**
 * True in one of every `every` ticks, a different one for each id: spreads work on many things evenly
 * without storing anything. Use a row or a ref as the id.
 */
export function isTurnOf(id: number, tick: number, every: number): boolean {
  checkPeriod(every)
  return (tick + id) % every === 0
}

const batchFields = { cursor: u32, ticksLeft: u32 }

/** The state of {@link runBatch}: how far the current round has got. */
export type Batch = Single<typeof batchFields>

/**
 * Declares the cursor of {@link runBatch}, as a part of the state.
 *
 * @example
 * ```ts
 * state: { units: table(1000, { … }), healing: batch() }
 * step({ state }) { runBatch(state.healing, state.units, 15, (row) => heal(state, row)) }
 * ```
 */
export function batch() {
  return single(batchFields)
}

/**
 * Visits every living row about once in `every` ticks: an equal share of the table in each tick, in row
 * order. Rows added behind the cursor are visited in the next round. Call it once per tick.
 */
export function runBatch(
  state: Batch,
  table: TableReader,
  every: number,
  visit: (row: number) => void,
): void {
  checkPeriod(every)
  if (state.ticksLeft === 0 || state.ticksLeft > every) {
    state.cursor = 0
    state.ticksLeft = every
  }
  // What is left is shared among the ticks that are left, so that a table which grows or shrinks in
  // the middle of a round is still finished at its end.
  const left = Math.max(table.rowsUsed - state.cursor, 0)
  const end = state.cursor + Math.ceil(left / state.ticksLeft)
  for (let row = state.cursor; row < end; row++) if (table.isAlive(row)) visit(row)
  state.cursor = end
  state.ticksLeft -= 1
}

function checkPeriod(every: number): void {
  if (!Number.isInteger(every) || every < 1) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot spread work over ${every} ticks: write a whole number from 1`,
    )
  }
}
