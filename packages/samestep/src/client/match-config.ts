import type { GameShape } from '../sim/game/context.ts'
import type { Game } from '../sim/game/define-game.ts'
import { encodeRecord } from '../sim/schema/index.ts'
import { InputMapping } from '../wire/input-layout.ts'
import type { MatchConfig } from '../wire/messages.ts'
import type { ClientOptions } from './client.ts'

/**
 * The match as this client wants it, if it is the first to ask.
 *
 * @throws UsageError for options that are none of the game.
 */
export function makeConfig<G extends GameShape, R>(
  game: Game<G, R>,
  options: ClientOptions<G>,
): MatchConfig {
  const chosen = { ...game.optionsCodec.makeDefault(), ...options.options }
  game.optionsCodec.check(chosen, 'options')
  return {
    seats: options.seats ?? game.seats.min,
    tickRate: game.tickRate,
    inputDelay: options.inputDelay ?? 3,
    missing: options.missing ?? { kind: 'idle', waitMs: 0 },
    inputSlots: [...new InputMapping(game.inputCodec.fields).layout],
    options: encodeRecord(game.optionsCodec, chosen),
  }
}
