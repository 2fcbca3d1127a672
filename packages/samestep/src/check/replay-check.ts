import type { GameShape } from '../sim/game/context.ts'
import type { Game } from '../sim/game/define-game.ts'
import type { CallSiteResolver } from '../sim/trace/call-site.ts'
import type { CheckFailure } from './check-failure.ts'
import { explainFinding } from './check-failure.ts'
import type { LaneId } from './lane.ts'
import type { Draw, LaneOptions } from './lane-world.ts'
import { checkScript } from './match-check.ts'
import { readReproduction } from './reproduction.ts'

/** How a reproduction is played. */
export interface ReplayOptions {
  readonly draw?: Draw | undefined
  /** The same game, loaded once more from modules of its own. */
  readonly fresh?: Game | undefined
  readonly resolve?: CallSiteResolver | undefined
}

/**
 * Plays a reproduction again: the failure, or `undefined` when there is none any more.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a file that is none, or of another game.
 */
export function replayCheck<G extends GameShape, R>(
  game: Game<G, R>,
  reproduction: unknown,
  options: ReplayOptions = {},
): CheckFailure | undefined {
  const plain = game as unknown as Game
  const { script, lane } = readReproduction(plain, reproduction)
  const { draw, fresh, resolve } = options
  const lanes: LaneOptions = { lanes: new Set<LaneId>([lane]), draw, fresh, resolve }
  const finding = checkScript(plain, script, lanes)
  if (finding === undefined) return undefined
  return explainFinding(plain, script, finding, { lanes, shrink: false })
}
