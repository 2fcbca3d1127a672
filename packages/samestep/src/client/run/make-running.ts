import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import type { ClientEvent } from '../events.ts'
import type { KeptParts, RunningOptions } from './match-simulation.ts'
import { RunningMatch } from './running-match.ts'

/**
 * Makes a match once it is launched. A client is given this, and does not import it: simulation, pacing,
 * snapshots and all else that only a launched match needs can be loaded while the line is dialled.
 */
export type MakeRunning = <G extends GameShape, R>(
  game: Game<G, R>,
  seated: MessageBody<'RelaySeated'>,
  options: RunningOptions,
  emit: (event: ClientEvent) => void,
  kept?: KeptParts<G, R>,
) => RunningMatch<G, R>

/** Makes a {@link RunningMatch}, for whoever has it all in one place. */
export const makeRunning: MakeRunning = (game, seated, options, emit, kept) =>
  new RunningMatch(game, seated, options, emit, kept)
