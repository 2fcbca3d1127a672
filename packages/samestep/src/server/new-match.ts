/** Matches that a program makes, before anybody joins them. */

import type { ClientOptions } from '../client/membership/client-options.ts'
import { makeConfig } from '../client/membership/match-config.ts'
import type { GameIdentity } from '../relay/match/match-types.ts'
import type { GameShape } from '../sim/game/definition/context.ts'
import type { Game } from '../sim/game/definition/define-game.ts'
import { fromHex } from '../sim/hash/hex.ts'
import type { MatchConfig } from '../wire/messages/match-config.ts'

/** The options of a new match, named as in `joinMatch`. */
export interface CreateMatchOptions<G extends GameShape, R>
  extends Pick<
    ClientOptions<G>,
    | 'seats'
    | 'options'
    | 'content'
    | 'inputDelay'
    | 'missing'
    | 'lagProtection'
    | 'batching'
    | 'lobby'
    | 'pace'
    | 'orders'
    | 'referee'
    | 'desync'
  > {
  /** The name of the match. */
  readonly match: string
  /** The game; every client that joins must have the same one. */
  readonly game: Game<G, R>
  /** How long the match is kept while it is empty and has not started. Defaults to an hour. */
  readonly keepMs?: number
}

/** The same in what a relay understands, and workers can be sent. */
export interface NewMatch {
  readonly name: string
  readonly identity: GameIdentity
  readonly config: MatchConfig
  readonly keptMs: number
}

const keepMsDefault = 3_600_000

/** Throws `SS_BAD_VALUE` and `SS_BAD_ARGUMENT` as `joinMatch` does. */
export function newMatchOf<G extends GameShape, R>(options: CreateMatchOptions<G, R>): NewMatch {
  const { match, game, keepMs = keepMsDefault, ...rest } = options
  const name = match.normalize('NFC')
  const identity = {
    gameId: game.id,
    gameVersion: game.version,
    fingerprint: fromHex(game.fingerprint),
  }
  const config = makeConfig(game, { ...rest, match, name: '' })
  return { name, identity, config, keptMs: keepMs }
}
