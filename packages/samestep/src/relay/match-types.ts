import type { LeaveReason } from '../sim/game/bundle.ts'
import type { CloseReason } from '../wire/codes.ts'
import type { MatchConfig } from '../wire/match-config.ts'
import type { Link } from './link-state.ts'
import type { LobbyPhase } from './lobby-types.ts'
import type { Blame, PresenceEvent } from './presence.ts'
import type { Session } from './session.ts'
import type { WaitingTurns } from './waiting-turns.ts'

/** What everybody in a match must have in common. */
export interface GameIdentity {
  readonly gameId: string
  readonly gameVersion: number
  readonly fingerprint: Uint8Array
}

/** What a match tells whoever runs it. */
export type MatchEvent =
  | { readonly type: 'phase'; readonly phase: LobbyPhase['name'] }
  | { readonly type: 'started'; readonly tick: number }
  | { readonly type: 'sealed'; readonly tick: number; readonly bundle: Uint8Array }
  | { readonly type: 'hash-mismatch'; readonly tick: number; readonly seat: number | undefined }
  | {
      readonly type: 'presence'
      readonly member: number
      readonly seat: number | undefined
      readonly event: PresenceEvent['type']
    }
  /** Somebody is gone; `blame` is the record for results and ladders, where silence was the cause. */
  | {
      readonly type: 'left'
      readonly seat: number
      readonly reason: LeaveReason
      readonly blame: Blame | undefined
    }
  /** An error of the relay itself, met by what came over a link: that session is ended. */
  | { readonly type: 'bug'; readonly error: unknown; readonly link: number }
  | { readonly type: 'ended' }

/** What a match is made of, besides its config. */
export interface MatchSpec {
  readonly id: string
  readonly name: string
  readonly seed: string
  readonly config: MatchConfig
  readonly identity: GameIdentity
  readonly nowMs: number
  readonly waitingMax?: number
  /** Whether sealed ticks are told. True when left out. */
  readonly tellSealed?: boolean
  /** Where turns wait for the next tick. Without, each is taken in as it comes. */
  readonly waitingTurns?: WaitingTurns<Link> | undefined
  /** 32 random bits, for tokens. */
  randomWord(): number
  emit(event: MatchEvent): void
}

/** Why a session is ended: what its client did, or what was decided about it. */
export interface Fault {
  readonly reason: CloseReason
  readonly message: string
}

/** What a link is closed for that nothing comes over. Its session waits for another one. */
export const halfOpen = {
  reason: 'too-slow',
  message: 'Nothing came for too long',
  isLinkOnly: true,
} as const

/** A session that is over, and what its client is told. */
export interface Expulsion extends Fault {
  readonly session: Session
  /** Only its link is closed, without a word; the session waits for its player to come back. */
  readonly isLinkOnly: boolean
}

/**
 * Ticks after its first possible input before a seat's missing input is called missing: the round
 * trip in which a client learns that the match began.
 */
export const joinGraceTicks = 15

/** Ticks for which a match that has begun can still be joined: 10 s at 30 ticks per second. */
export const lateJoinTicks = 300
