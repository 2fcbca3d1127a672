import type { Game } from '../sim/game/definition/define-game.ts'
import type { ShrinkProgress, ShrinkResult } from './engine/faults/shrink.ts'
import { shrinkPlan } from './engine/faults/shrink.ts'
import type { StormPlan } from './plan/storm-plan.ts'
import { runStormPlan } from './run-storm.ts'

/** Options for shrinking a storm. */
export interface ShrinkStormOptions {
  readonly game?: Game
  /** The maximum number of runs. */
  readonly runsMax?: number
  readonly onProgress?: (progress: ShrinkProgress) => void
}

/**
 * Makes a failing plan as small as possible while the same invariant still fails.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` if the plan does not fail.
 */
export function shrinkStorm(
  plan: StormPlan,
  options: ShrinkStormOptions = {},
): ShrinkResult<StormPlan> {
  const { game, ...rest } = options
  const result = shrinkPlan(plan, {
    ...rest,
    run: (smaller) => runStormPlan(smaller, game === undefined ? {} : { game }).violation,
    // Without the relay there is no match, and without a player it never begins.
    isNeeded: ({ name }) => name === 'relay' || name === 'c0',
  })
  const names = new Set([...result.plan.nodes, ...result.plan.attackers].map(({ name }) => name))
  const links = result.plan.links.filter(({ from }) => names.has(from))
  return { ...result, plan: { ...result.plan, links } }
}
