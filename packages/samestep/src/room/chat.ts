import { assert } from '../base/assert.ts'
import { TokenBucket } from '../base/token-bucket.ts'
import { seatsMax } from '../sim/limits.ts'
import type { Denial, Role } from '../wire/codes.ts'
import { chatBytesMax, spectatorsMax, witnessesMax } from '../wire/limits.ts'
import type { LobbyConfig } from '../wire/messages/match-config.ts'
import { encodeMessage } from '../wire/messages/messages.ts'
import type { ChatScope, RoomAction } from '../wire/messages/room-actions.ts'
import type { TextRefusal } from '../wire/text-form.ts'
import { checkChat } from '../wire/text-form.ts'
import type { Member, Members } from './members.ts'
import type { RoomAnswer } from './room-answer.ts'
import { deny } from './room-answer.ts'
import type { Speech } from './speech.ts'

/**
 * Who may say what to whom. Chat is no part of the game: it is passed on beside the ticks and never
 * sealed, so that a flood of it costs no order its place (ORD-19).
 */

/** Somebody who talks or listens, as far as chat is concerned. */
export interface ChatParty {
  readonly role: Role
  readonly team: number
}

/** Why a line is not passed on. */
export type ChatRefusal = TextRefusal | 'rate' | 'muted' | 'wrong-scope'

/** What chat needs of the match around it. */
export interface ChatHost {
  /** A line was passed on. */
  noteSaid(member: number, scope: ChatScope, text: string): void
}

/** The chat of one match. What a single member may still say is its own {@link Speech}. */
export class Chat {
  readonly #members: Members
  readonly #spectatorsReach: LobbyConfig['spectatorsReach']
  readonly #host: ChatHost | undefined
  /**
   * What lines may cost the relay, in bytes to all: a crowd that talks at once multiplies what comes in
   * by its own size. Players are not silenced by those who watch.
   */
  readonly #spread: Readonly<Record<ChatParty['role'], TokenBucket>>

  /**
   * `spectatorsReach` says whether players hear spectators. Not by default: a spectator sees what
   * the players' opponents hide.
   */
  constructor(
    members: Members,
    nowMs: number,
    spectatorsReach: LobbyConfig['spectatorsReach'] = 'spectators',
    host?: ChatHost,
  ) {
    this.#host = host
    this.#members = members
    this.#spectatorsReach = spectatorsReach
    const bucket = () => new TokenBucket(spreadBytesBurst, spreadBytesPerSecond, nowMs)
    this.#spread = { player: bucket(), spectator: bucket(), witness: bucket() }
  }

  /** Grants a wish, or says why not. */
  handle(
    member: Member,
    action: Extract<RoomAction, { type: 'say' | 'mute' }>,
    nowMs: number,
  ): RoomAnswer {
    if (action.type === 'mute') return deny(this.#mute(member, action.member, action.isMuted))
    const refusal = this.say(member, action.scope, action.text, nowMs)
    const isHarmless =
      refusal === undefined || ['rate', 'muted', 'wrong-scope', 'not-normal'].includes(refusal)
    return isHarmless ? deny(refusal) : { refusal, strike: 'wrong-text' }
  }

  /** Passes a line on to whom it is for, or says why not. */
  say(speaker: Member, scope: ChatScope, text: string, nowMs: number): ChatRefusal | undefined {
    const refusal = this.refusalOf(speaker, scope, text, nowMs)
    if (refusal !== undefined) return refusal
    const said = encodeMessage('RelaySaid', { member: speaker.id, scope, text })
    const bytes = said.byteLength * this.#members.list.length
    if (!this.#spread[speaker.role].take(bytes, nowMs)) return 'rate'
    const isFor = (listener: ChatParty) => hears(speaker, scope, listener)
    // Players know what happens now; who only watches can give nothing away.
    if (speaker.role === 'player') this.#members.tell(said, nowMs, isFor)
    else this.#members.send(said, nowMs, isFor)
    this.#host?.noteSaid(speaker.id, scope, text)
    return undefined
  }

  /** Decides about one line; `undefined` when it is passed on to whom {@link hears} says. */
  refusalOf(
    speaker: ChatParty & { readonly speech: Speech },
    scope: ChatScope,
    text: string,
    nowMs: number,
  ): ChatRefusal | undefined {
    // Before the text is looked at: a flood of bad lines is a flood.
    if (!speaker.speech.take(nowMs)) return 'rate'
    const fault = checkChat(text)
    if (fault !== undefined) return fault
    if (speaker.speech.isMuted(nowMs)) return 'muted'
    return this.#maySpeak(speaker, scope) ? undefined : 'wrong-scope'
  }

  #mute(member: Member, id: number, isMuted: boolean): Denial | undefined {
    if (this.#members.owner !== member) return 'not-owner'
    const target = this.#members.get(id)
    if (target === undefined) return 'unknown-member'
    if (isMuted) target.speech.mute('owner', Number.POSITIVE_INFINITY)
    else target.speech.unmute('owner')
    return undefined
  }

  #maySpeak({ role }: ChatParty, scope: ChatScope): boolean {
    if (role === 'player') return scope !== 'spectators'
    if (role === 'witness') return false
    if (scope === 'team') return false
    return scope === 'spectators' || this.#spectatorsReach === 'all'
  }
}

/** Whether a line reaches somebody. Whoever said it sees it come back, as everybody else sees it. */
export function hears(speaker: ChatParty, scope: ChatScope, listener: ChatParty): boolean {
  switch (scope) {
    case 'all':
      return true
    case 'team':
      return listener.role === 'player' && listener.team === speaker.team
    case 'spectators':
      return listener.role === 'spectator'
  }
}

/**
 * Bytes of chat that a match sends to all its members in a second, over a long time, and at once: the
 * longest line to the largest crowd, or thirty usual ones per second to a hundred members.
 */
const spreadBytesPerSecond = 200_000
const spreadBytesBurst = 800_000

assert(
  spreadBytesBurst >= (chatBytesMax + 16) * (seatsMax + spectatorsMax + witnessesMax),
  'Every line must be sayable',
)

/** How long a vote mutes: most of a match, and no account's whole evening. */
export const voteMuteMs = 600_000
