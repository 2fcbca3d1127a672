import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import type { ClientEvent } from '../events.ts'
import type { KeptParts, RunningOptions } from './match-simulation.ts'
import { RunningMatch } from './running-match.ts'

/**
 * Creates a match when it is launched. A client gets this function instead of importing it, so that the
 * code only a launched match needs (simulation, pacing, snapshots and more) can be loaded during
 * dialling.
 */
export type MakeRunning = <G extends GameShape, R>(
  game: Game<G, R>,
  seated: MessageBody<'RelaySeated'>,
  options: RunningOptions,
  emit: (event: ClientEvent) => void,
  kept?: KeptParts<G, R>,
) => RunningMatch<G, R>

/** Creates a {@link RunningMatch}, for programs that load all code at once. */
export const makeRunning: MakeRunning = (game, seated, options, emit, kept) =>
  new RunningMatch(game, seated, options, emit, kept)
