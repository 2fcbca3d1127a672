import { UsageError, WireError } from '../base/errors.ts'
import type { Channel } from '../link/channel.ts'
import { fromHex } from '../sim/hash/hex.ts'
import type { MessageBody } from '../wire/messages.ts'
import { helloMagic, protocols } from '../wire/messages.ts'

/** Where the conversation stands. */
export type ConversationState =
  /** No link; one is wanted from `retryAtMs` on. */
  | { readonly name: 'linkless'; readonly retryAtMs: number; readonly isAsked: boolean }
  | { readonly name: 'greeting'; readonly channel: Channel }
  | { readonly name: 'joining'; readonly channel: Channel }
  | { readonly name: 'seated'; readonly channel: Channel }
  | { readonly name: 'closed'; readonly channel: Channel | undefined }

/** What a UI can show of it. */
export type ClientStatus =
  | 'connecting'
  | 'joining'
  /** In the match, which has not been launched. */
  | 'lobby'
  | 'active'
  | 'reconnecting'
  | 'closed'

/** A client's first words. */
export function helloBody(game: {
  readonly id: string
  readonly version: number
  readonly fingerprint: string
}): MessageBody<'ClientHello'> {
  return {
    magic: helloMagic,
    protocols: [...protocols],
    gameId: game.id,
    gameVersion: game.version,
    fingerprint: fromHex(game.fingerprint),
  }
}

/**
 * The channel of a client that is in.
 *
 * @throws UsageError `SS_CLOSED` when the session is over, `SS_NOT_SEATED` before there is one.
 */
export function requireSeated(state: ConversationState, what: string): Channel {
  if (state.name === 'seated') return state.channel
  if (state.name === 'closed') {
    throw new UsageError('SS_CLOSED', `Cannot ${what}: the session is over`)
  }
  throw new UsageError('SS_NOT_SEATED', `Cannot ${what}: the relay is not reached yet`)
}

/** @throws WireError for a message that no relay sends. */
export function checkRelayMessage(name: string): void {
  if (name.startsWith('Relay')) return
  throw new WireError('SS_WIRE_UNKNOWN', 0, `Cannot accept a ${name} from a relay`)
}
