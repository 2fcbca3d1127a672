import { UsageError } from '../base/errors.ts'
import type { Simulation } from '../sim/game/run/simulation.ts'

/**
 * Causes a desync on purpose: changes one field of a machine's state between two ticks, as a bug or a cheat
 * would. For trying out what players see of a desync, and for tests.
 *
 * `path` is the field as game code writes it: `units.hp[321]`, `score.sum`, `board.hands[1][0]`. A number
 * is changed by one, true becomes false. The development guard does not notice it. Returns the first tick
 * that will differ.
 *
 * @example
 * ```ts
 * injectDesync(match.simulation, 'units.hp[3]')
 * ```
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a path that leads to no number and no truth value.
 */
export function injectDesync(
  simulation: Pick<Simulation, 'state' | 'disturb' | 'matchTick'>,
  path: string,
): number {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '')
  const last = keys.pop() ?? ''
  let holder: unknown = simulation.state
  for (const key of keys) holder = (holder as Holder | undefined)?.[key]
  const value = isHolder(holder) ? holder[last] : undefined
  if (!isHolder(holder) || (typeof value !== 'number' && typeof value !== 'boolean')) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot change '${path}': it is not a number or boolean of the state; write it as game code does, such as units.hp[3]`,
    )
  }
  const target = holder
  simulation.disturb(() => {
    // Downwards, unless at the end: most fields begin at 0 and have more room above than a bit.
    target[last] = typeof value === 'boolean' ? !value : value === 0 ? 1 : value - 1
  })
  return simulation.matchTick + 1
}

type Holder = { [key: string]: unknown }

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null
}
