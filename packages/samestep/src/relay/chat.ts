import type { TextRefusal } from '../wire/text-form.ts'
import { checkChat } from '../wire/text-form.ts'
import { TokenBucket } from './token-bucket.ts'

/**
 * Who may say what to whom. Chat is no part of the game: it is passed on beside the ticks and never
 * sealed, so that a flood of it costs no order its place (ORD-19).
 */

/** Whom a line is for. */
export type ChatScope = 'all' | 'team' | 'spectators'

/** Somebody who talks or listens, as far as chat is concerned. */
export interface ChatParty {
  readonly role: 'player' | 'spectator'
  readonly team: number
}

/** Why a line is not passed on. */
export type ChatRefusal = TextRefusal | 'rate' | 'muted' | 'wrong-scope'

/** Who had somebody muted. Only who did so, or a vote, takes it back. */
export type MuteSource = 'owner' | 'vote'

type Speaker = { readonly bucket: TokenBucket; readonly mutedUntilMs: Record<MuteSource, number> }

/** The chat of one match. Members are numbered by their sessions. */
export class Chat {
  readonly #speakers = new Map<number, Speaker>()
  readonly #spectatorsReach: 'all' | 'spectators'

  /**
   * `spectatorsReach` says whether players hear spectators. Not by default: a spectator sees what
   * the players' opponents hide.
   */
  constructor(spectatorsReach: 'all' | 'spectators' = 'spectators') {
    this.#spectatorsReach = spectatorsReach
  }

  add(member: number, nowMs: number): void {
    const bucket = new TokenBucket(chatBurst, chatPerSecond, nowMs)
    const never = Number.NEGATIVE_INFINITY
    this.#speakers.set(member, { bucket, mutedUntilMs: { owner: never, vote: never } })
  }

  remove(member: number): void {
    this.#speakers.delete(member)
  }

  /** Members that it knows, for leak checks. */
  get size(): number {
    return this.#speakers.size
  }

  /** Decides about one line; `undefined` when it is passed on to whom {@link hears} says. */
  refusalOf(
    member: number,
    party: ChatParty,
    scope: ChatScope,
    text: string,
    nowMs: number,
  ): ChatRefusal | undefined {
    const speaker = this.#speakers.get(member)
    if (speaker === undefined) return 'wrong-scope'
    // Before the text is looked at: a flood of bad lines is a flood.
    if (!speaker.bucket.take(1, nowMs)) return 'rate'
    const fault = checkChat(text)
    if (fault !== undefined) return fault
    if (this.isMuted(member, nowMs)) return 'muted'
    return this.#maySpeak(party, scope) ? undefined : 'wrong-scope'
  }

  #maySpeak({ role }: ChatParty, scope: ChatScope): boolean {
    if (role === 'player') return scope !== 'spectators'
    if (scope === 'team') return false
    return scope === 'spectators' || this.#spectatorsReach === 'all'
  }

  /** Keeps somebody from talking until a time; `Infinity` until it is taken back. */
  mute(member: number, by: MuteSource, untilMs: number): void {
    const speaker = this.#speakers.get(member)
    if (speaker !== undefined) speaker.mutedUntilMs[by] = untilMs
  }

  /** Takes back what the same source did. */
  unmute(member: number, by: MuteSource): void {
    this.mute(member, by, Number.NEGATIVE_INFINITY)
  }

  isMuted(member: number, nowMs: number): boolean {
    const speaker = this.#speakers.get(member)
    if (speaker === undefined) return false
    return Math.max(speaker.mutedUntilMs.owner, speaker.mutedUntilMs.vote) > nowMs
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

/** Lines of one member in a second, over a long time, and at once: as fast as one can read. */
const chatPerSecond = 1
const chatBurst = 5

/** How long a vote mutes: most of a match, and no account's whole evening. */
export const voteMuteMs = 600_000
