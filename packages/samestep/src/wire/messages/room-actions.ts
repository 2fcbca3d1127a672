import { WireError } from '../../base/errors.ts'
import type { AnyField, StructField } from '../../sim/schema/index.ts'
import { bool, bytes, oneOf, optional, struct, text, u32 } from '../../sim/schema/index.ts'
import { chatBytesMax, optionsBytesMax } from '../limits.ts'

/**
 * What a member of a match may ask for beside its orders: about the lobby, chat, pace, votes and bots.
 * All travel in one message, `ClientAct`, of which an action uses some fields and leaves the others
 * out; the table below says which.
 */

/** Who finds a match: everybody, whoever has its name, or only this machine. */
export const visibilities = ['public', 'unlisted', 'local'] as const

/** Who may still come while a match runs. */
export const lateJoins = ['players', 'spectators', 'nobody'] as const

const chatScopes = ['all', 'team', 'spectators'] as const
const voteKinds = ['kick', 'mute', 'pause', 'resume', 'speed'] as const

/** Whom a line of chat is for. */
export type ChatScope = (typeof chatScopes)[number]

/** What can be voted on. */
export type VoteKind = (typeof voteKinds)[number]

/** Everything that a member can request. */
export type RoomAction =
  | { readonly type: 'take-seat'; readonly seat: number }
  /** Becomes a spectator. */
  | { readonly type: 'leave-seat' }
  | { readonly type: 'choose-team'; readonly team: number }
  /** Ready for the options of this revision only. */
  | { readonly type: 'set-ready'; readonly isReady: boolean; readonly optionsRevision: number }
  | { readonly type: 'report-load'; readonly progress: number }
  | { readonly type: 'set-options'; readonly options: Uint8Array }
  | { readonly type: 'lock-seat'; readonly seat: number; readonly isLocked: boolean }
  | { readonly type: 'kick'; readonly member: number }
  | { readonly type: 'give-ownership'; readonly member: number }
  | { readonly type: 'set-visibility'; readonly visibility: (typeof visibilities)[number] }
  | { readonly type: 'set-late-join'; readonly lateJoin: (typeof lateJoins)[number] }
  | { readonly type: 'start' }
  | { readonly type: 'cancel' }
  | { readonly type: 'say'; readonly scope: ChatScope; readonly text: string }
  | { readonly type: 'mute'; readonly member: number; readonly isMuted: boolean }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | { readonly type: 'set-speed'; readonly percent: number }
  /** `target` is a seat; `percent` is for speed. */
  | {
      readonly type: 'propose'
      readonly vote: VoteKind
      readonly target: number
      readonly percent: number
    }
  | { readonly type: 'cast'; readonly id: number; readonly isYes: boolean }
  /** A bot plays this seat, run by this client. */
  | { readonly type: 'add-bot'; readonly seat: number }
  | { readonly type: 'remove-bot'; readonly seat: number }
  /** A spectator takes over this seat from the next tick on. */
  | { readonly type: 'hand-over'; readonly seat: number; readonly member: number }
  /** Takes back the seat that this member had before it was handed over or a bot took it. */
  | { readonly type: 'reclaim-seat' }

/** The name of an action. */
export type RoomActionType = RoomAction['type']

/** Every word that some action has, each once: `spectators` is one of two kinds. */
const allWords = [...new Set([...visibilities, ...lateJoins, ...chatScopes, ...voteKinds])]

/** The fields of the message; an action uses some of them. */
export const actFields = struct({
  action: text(16),
  number: optional(u32),
  other: optional(u32),
  flag: optional(bool),
  word: optional(oneOf(allWords)),
  text: optional(text(chatBytesMax)),
  options: optional(bytes(optionsBytesMax)),
})

type Act = typeof actFields extends StructField<infer T> ? T : never
type Field = Exclude<keyof Act, 'action'>

/** Which field of the message carries which part of an action. */
type Parts = { readonly [K in Field]?: string }

/** Which fields of the message each action uses, and for what. `docs/protocol.md` shows the same. */
export const actionParts: { readonly [T in RoomActionType]: Parts } = {
  'take-seat': { number: 'seat' },
  'leave-seat': {},
  'choose-team': { number: 'team' },
  'set-ready': { number: 'optionsRevision', flag: 'isReady' },
  'report-load': { number: 'progress' },
  'set-options': { options: 'options' },
  'lock-seat': { number: 'seat', flag: 'isLocked' },
  kick: { number: 'member' },
  'give-ownership': { number: 'member' },
  'set-visibility': { word: 'visibility' },
  'set-late-join': { word: 'lateJoin' },
  start: {},
  cancel: {},
  say: { word: 'scope', text: 'text' },
  mute: { number: 'member', flag: 'isMuted' },
  pause: {},
  resume: {},
  'set-speed': { number: 'percent' },
  propose: { word: 'vote', number: 'target', other: 'percent' },
  cast: { number: 'id', flag: 'isYes' },
  'add-bot': { number: 'seat' },
  'remove-bot': { number: 'seat' },
  'hand-over': { number: 'seat', other: 'member' },
  'reclaim-seat': {},
}

/** The names of all actions. */
export const roomActionTypes = Object.keys(actionParts) as readonly RoomActionType[]

/** Words that one part of an action may have. */
const words: { readonly [part: string]: readonly [string, ...string[]] } = {
  visibility: visibilities,
  lateJoin: lateJoins,
  scope: chatScopes,
  vote: voteKinds,
}

const fields: readonly Field[] = ['number', 'other', 'flag', 'word', 'text', 'options']

/** What each part of an action must be, by the names that its caller uses. */
export function partFields(type: RoomActionType): readonly (readonly [string, AnyField])[] {
  const parts = actionParts[type]
  return fields.flatMap((field) => {
    const part = parts[field]
    if (part === undefined) return []
    const known = words[part]
    return [[part, known === undefined ? values[field] : oneOf(known)] as const]
  })
}

/** What a field of the message holds where an action uses it. */
const values: { readonly [K in Field]: AnyField } = {
  number: u32,
  other: u32,
  flag: bool,
  word: oneOf(allWords),
  text: text(chatBytesMax),
  options: bytes(optionsBytesMax),
}

/** An action as the body of a message. */
export function writeAction(action: RoomAction): Act {
  const parts = actionParts[action.type]
  const values = action as unknown as { readonly [part: string]: unknown }
  const body: { [field: string]: unknown } = { action: action.type }
  for (const field of fields) {
    const part = parts[field]
    body[field] = part === undefined ? undefined : values[part]
  }
  return body as Act
}

/**
 * The action of a message.
 *
 * @throws WireError for an unknown action, and for fields that it lacks or has too many.
 */
export function readAction(body: Act): RoomAction {
  const type = body.action as RoomActionType
  if (!Object.hasOwn(actionParts, type)) throw refuse(`Cannot accept action '${body.action}'`)
  const parts = actionParts[type]
  const action: { [part: string]: unknown } = { type }
  for (const field of fields) {
    const part = parts[field]
    const value = body[field]
    if ((part === undefined) !== (value === undefined)) {
      throw refuse(`Cannot accept action '${type}': ${field} must be ${part ?? 'left out'}`)
    }
    if (part === undefined) continue
    if (field === 'word' && !words[part]?.includes(value as string)) {
      throw refuse(`Cannot accept action '${type}': '${String(value)}' is no ${part}`)
    }
    action[part] = value
  }
  return action as RoomAction
}

function refuse(message: string): WireError {
  return new WireError('SS_WIRE_UNKNOWN', 0, message)
}

/** The words for what can be voted on, in the sequence of the wire. */
export const voteWords: readonly VoteKind[] = voteKinds

/** The words for whom chat is for, in the sequence of the wire. */
export const scopeWords: readonly ChatScope[] = chatScopes
