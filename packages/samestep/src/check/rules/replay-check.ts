import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { CallSiteResolver } from '../../sim/trace/call-site.ts'
import type { GameGraphs } from '../causes/game-graphs.ts'
import { Trials } from '../causes/trials.ts'
import { explainFinding } from '../check-failure.ts'
import type { CheckFailure } from '../failure-text.ts'
import type { LaneId } from '../lanes/lane.ts'
import type { Draw, LaneOptions } from '../lanes/lane-world.ts'
import { readReproduction } from '../scripts/reproduction.ts'

/** Options for playing a reproduction. */
export interface ReplayOptions {
  readonly draw?: Draw | undefined
  /** The same game, loaded again from separate modules. */
  readonly fresh?: Game | undefined
  /** More of the same, each from unused modules. */
  readonly graphs?: GameGraphs | undefined
  readonly resolve?: CallSiteResolver | undefined
}

/**
 * Plays a reproduction again; returns the failure, or `undefined` if it no longer fails.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a file that is not a reproduction, or is of another game.
 */
export function replayCheck<G extends GameShape, R>(
  game: Game<G, R>,
  reproduction: unknown,
  options: ReplayOptions = {},
): CheckFailure | undefined {
  const plain = game as unknown as Game
  const { script, lane } = readReproduction(plain, reproduction)
  const { draw, fresh, graphs, resolve } = options
  const only = lane === 'all' ? {} : { lanes: new Set<LaneId>([lane]) }
  const lanes: LaneOptions = { ...only, draw, fresh, resolve }
  const { finding } = new Trials(plain, lanes, graphs).playClean(script)
  if (finding === undefined) return undefined
  return explainFinding(plain, script, finding, { lanes, graphs, shrink: false })
}
