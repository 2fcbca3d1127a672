import type { DesyncFile } from '../../desync/report-file.ts'
import type { PairFinding } from '../../desync/search/pair-finding.ts'
import type { FindingSeats } from '../../desync/tell-finding.ts'
import type { DesyncVerdict } from '../../desync/verdict.ts'
import { lineBytes } from '../../record/limits.ts'
import type { LobbyPhase } from '../../room/lobby-types.ts'
import type { RoomLimits } from '../../room/room.ts'
import type { LeaveReason } from '../../sim/game/run/bundle.ts'
import type { CloseReason } from '../../wire/codes.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import type { Software } from '../../wire/messages/software.ts'
import type { Blame, PresenceEvent } from '../guard/presence.ts'
import type { WaitingTurns } from '../links/waiting-turns.ts'
import type { MatchNotes } from '../record/match-notes.ts'
import type { WitnessSide } from './hashes/witness-hashes.ts'
import type { Carrier, Session } from './session.ts'

/** What everybody in a match must have in common. */
export interface GameIdentity {
  readonly gameId: string
  readonly gameVersion: number
  readonly fingerprint: Uint8Array
}

/** What a match tells whoever runs it. */
export type MatchEvent =
  /** Somebody new is in; not whoever comes back. */
  | {
      readonly type: 'joined'
      readonly member: number
      readonly seat: number | undefined
      readonly software: Software | undefined
    }
  | { readonly type: 'phase'; readonly phase: LobbyPhase['name'] }
  | { readonly type: 'started'; readonly tick: number }
  /** The last link is lost, and the clock stands still until somebody is back; or somebody is. */
  | { readonly type: 'rest'; readonly isResting: boolean }
  | { readonly type: 'sealed'; readonly tick: number; readonly bundle: Uint8Array }
  /**
   * Machines have different states after the same ticks. The first tick on which they differ is after
   * `agreedTick`, where one is known, and `tick` at the latest. `groups` are the seats by what they
   * reported; `verdict` says whom a strict majority differs from. `spectator` is the member who differs from all of them.
   */
  | {
      readonly type: 'hash-mismatch'
      readonly tick: number
      readonly agreedTick: number | undefined
      readonly groups: readonly (readonly number[])[]
      readonly verdict: DesyncVerdict
      readonly spectator: number | undefined
      /** Which of the groups each witness that reported the tick agrees with. */
      readonly witnesses: readonly WitnessSide[]
    }
  /** Something is known of how the machines of two groups of seats went apart. */
  | { readonly type: 'desync-found'; readonly finding: PairFinding; readonly seats: FindingSeats }
  /** Machines differ, and the policy of the match is to stop: it stands still from the next tick on. */
  | { readonly type: 'halted'; readonly tick: number }
  /** Somebody who differs from the majority is to be given its state; or has it, and plays on. */
  | {
      readonly type: 'resync'
      readonly member: number
      readonly seat: number | undefined
      readonly isDone: boolean
    }
  /** All that could be found out about a desync, for whoever runs the relay. */
  | { readonly type: 'desync-report'; readonly file: DesyncFile }
  | {
      readonly type: 'presence'
      readonly member: number
      readonly seat: number | undefined
      readonly event: PresenceEvent['type']
    }
  /** A player has done nothing for as long as the match allows, or does something again. */
  | {
      readonly type: 'afk'
      readonly member: number
      readonly seat: number | undefined
      readonly isAfk: boolean
    }
  /**
   * Somebody is gone. `told` is what the relay told it, where the relay ended it; `blame` is the record
   * for results and ladders, where silence was the cause.
   */
  | {
      readonly type: 'left'
      readonly seat: number
      readonly reason: LeaveReason
      readonly told: string | undefined
      readonly blame: Blame | undefined
    }
  /** An error of the relay itself, met by what came over a link: that session is ended. */
  | { readonly type: 'bug'; readonly error: unknown; readonly link: number }
  | { readonly type: 'ended' }

/**
 * A line of a match's history. Each relay that goes on with a match begins another one: what its
 * predecessor tagged and nobody gave back is no part of it.
 */
export interface MatchLine {
  readonly generation: number
  readonly id: Uint8Array
}

/** The line of a match of which nothing is given to clients. */
export const firstLine: MatchLine = { generation: 0, id: new Uint8Array(lineBytes) }

/** What a match is made of, besides its config. */
export interface MatchSpec {
  readonly id: string
  readonly name: string
  readonly seed: string
  readonly config: MatchConfig
  readonly identity: GameIdentity
  readonly nowMs: number
  readonly waitingMax?: number
  /** Whether a state is kept for a player who is alone and may reload the page. */
  readonly keepsStates?: boolean
  /** Whether members are told values when a desync is explained: for development. */
  readonly showsDesyncValues?: boolean
  /** Whether a state from before a desync is asked for, for the report. */
  readonly collectsDesyncStates?: boolean
  /** How often one player is given the state of the others in ten minutes. */
  readonly resyncsMax?: number
  /** What whoever runs the relay decides about it. */
  readonly limits?: RoomLimits
  /** Whether a kick counts for the address too. */
  readonly kicksAddresses?: boolean
  /** Lost time that its clock makes up at the most, in ms. */
  readonly makeUpMs?: number
  /** Where what happens is noted for the record. Nothing is recorded without. */
  readonly notes?: MatchNotes | undefined
  /** Which line of its history this is; the first when left out. */
  readonly line?: MatchLine | undefined
  /** Where turns wait for the next tick. Without, each is taken in as it comes. */
  readonly waitingTurns?: WaitingTurns<Carrier> | undefined
  /** 32 random bits, for tokens. */
  randomWord(): number
  emit(event: MatchEvent): void
}

/** Why a session is ended: what its client did, or what was decided about it. */
export interface Fault {
  readonly reason: CloseReason
  readonly message: string
}

/** A session that is over, and what its client is told. */
export interface Expulsion extends Fault {
  readonly session: Session
  /** Only its link is closed, without a word; the session waits for its player to come back. */
  readonly isLinkOnly: boolean
}
