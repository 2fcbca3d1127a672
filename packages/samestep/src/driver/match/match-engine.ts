import type { MakeRunning } from '../../client/run/make-running.ts'
import { makeRunning } from '../../client/run/make-running.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { EmptyPicture } from './empty-picture.ts'

/**
 * What plays a match once there is one: simulation, pacing, snapshots, and what is drawn before. A page
 * that joins loads it while it dials, and shows its menu before.
 */
export interface MatchEngine {
  readonly makeRunning: MakeRunning
  makeEmptyPicture<G extends GameShape, R>(game: Game<G, R>): EmptyPicture<G, R>
}

/** All of it, for whoever has it in one place. */
export const matchEngine: MatchEngine = {
  makeRunning,
  makeEmptyPicture: (game) => new EmptyPicture(game),
}
