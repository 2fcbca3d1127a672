import type { Channel } from '../../link/channel.ts'
import type { Conversation } from '../conversation/conversation.ts'

/** Why a client wants to be woken. */
export type ClientWakeReason =
  /** A new link is requested after one was lost. */
  | 'retry'
  /** Packets are repeated, acknowledged or paced. */
  | 'channel'
  /** Nothing was heard for so long that the link counts as lost. */
  | 'silence'
  /** The relay needs a sign of life. */
  | 'here'
  /** An input is sampled, or orders are repeated. */
  | 'turn'
  /** A better door is tried, or the connection to it is checked. */
  | 'move'

/** The part of a match that has deadlines. */
interface Timed {
  wakeAtMs(kind: Channel['kind']): number
}

/** The part of a client that may have a second link. */
interface Moving {
  wakeAtMs(): number
}

/** A client's earliest deadline; `Infinity` if it has none. */
export function wakeTimeOf(
  conversation: Conversation,
  running: Timed | undefined,
  mover: Moving,
): number {
  const { state, patience, isListening } = conversation
  if (state.name === 'linkless') return state.isAsked ? never : state.retryAtMs
  const silentAtMs = isListening ? patience.silentAtMs : never
  const soonest = Math.min(state.channel?.wakeAtMs() ?? never, silentAtMs)
  if (state.name !== 'seated') return soonest
  const own = Math.min(patience.hereAtMs, mover.wakeAtMs())
  return Math.min(soonest, own, running?.wakeAtMs(state.channel.kind) ?? never)
}

/** The reason for that deadline; `undefined` if there is none. */
export function wakeReasonOf(
  conversation: Conversation,
  running: Timed | undefined,
  mover: Moving,
): ClientWakeReason | undefined {
  const { state, patience, isListening } = conversation
  const atMs = wakeTimeOf(conversation, running, mover)
  if (atMs === never) return undefined
  if (state.name === 'linkless') return 'retry'
  if (state.channel?.wakeAtMs() === atMs) return 'channel'
  if (isListening && patience.silentAtMs === atMs) return 'silence'
  const isTurn = state.name === 'seated' && running?.wakeAtMs(state.channel.kind) === atMs
  if (isTurn) return 'turn'
  return mover.wakeAtMs() === atMs ? 'move' : 'here'
}

const never = Number.POSITIVE_INFINITY
