import { UsageError, WireError } from '../base/errors.ts'
import type { Channel } from '../link/channel.ts'
import { fromHex } from '../sim/hash/hex.ts'
import type { StructField } from '../sim/schema/index.ts'
import type { MessageBody } from '../wire/messages.ts'
import { encodeMessage, helloMagic, protocols } from '../wire/messages.ts'
import type { RoomAction } from '../wire/room-actions.ts'
import { actFields, writeAction } from '../wire/room-actions.ts'

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

/** What to show of a conversation, given what is behind it. */
export function statusOf(
  { name }: ConversationState,
  membership: { readonly isSeated: boolean; readonly running: unknown },
): ClientStatus {
  if (name === 'closed') return 'closed'
  if (name === 'seated') return membership.running === undefined ? 'lobby' : 'active'
  if (membership.isSeated) return 'reconnecting'
  return name === 'linkless' ? 'connecting' : 'joining'
}

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
  requireOpen(state, what)
  throw new UsageError('SS_NOT_SEATED', `Cannot ${what}: the relay is not reached yet`)
}

/** @throws UsageError `SS_CLOSED` when the session is over. */
export function requireOpen(state: ConversationState, what: string): void {
  if (state.name !== 'closed') return
  throw new UsageError('SS_CLOSED', `Cannot ${what}: the session is over`)
}

/**
 * The bytes of a wish about the match.
 *
 * @throws UsageError `SS_BAD_VALUE` for one that does not fit its message.
 */
export function encodeAction(action: RoomAction): Uint8Array {
  const body = writeAction(action)
  const fields: StructField<object> = actFields
  fields.check(body, action.type)
  return encodeMessage('ClientAct', body)
}

/** @throws WireError for a message that no relay sends. */
export function checkRelayMessage(name: string): void {
  if (name.startsWith('Relay')) return
  throw new WireError('SS_WIRE_UNKNOWN', 0, `Cannot accept a ${name} from a relay`)
}
