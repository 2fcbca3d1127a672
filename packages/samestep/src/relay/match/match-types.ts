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

/** What all members of a match must have in common. */
export interface GameIdentity {
  readonly gameId: string
  readonly gameVersion: number
  readonly fingerprint: Uint8Array
}

/** What a match reports to the program around it. */
export type MatchEvent =
  /** A new member joined. Not for a member who comes back. */
  | {
      readonly type: 'joined'
      readonly member: number
      readonly seat: number | undefined
      readonly software: Software | undefined
    }
  | { readonly type: 'phase'; readonly phase: LobbyPhase['name'] }
  | { readonly type: 'started'; readonly tick: number }
  /** The last link was lost, and the clock stands still; or a member is back, and it goes on. */
  | { readonly type: 'rest'; readonly isResting: boolean }
  | { readonly type: 'sealed'; readonly tick: number; readonly bundle: Uint8Array }
  /**
   * Machines have different states after the same ticks. The first tick on which they differ is after
   * `agreedTick`, if that is known, and no later than `tick`. `groups` are the seats by what they
   * reported; `verdict` says whom a strict majority differs from. `spectator` is the member who
   * differs from all of them.
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
  /** Something was found out about how the machines of two groups of seats diverged. */
  | { readonly type: 'desync-found'; readonly finding: PairFinding; readonly seats: FindingSeats }
  /** Machines differ, and the match's policy is to halt: it stands still from the next tick on. */
  | { readonly type: 'halted'; readonly tick: number }
  /** A member who differs from the majority is to be given its state; or has it, and plays on. */
  | {
      readonly type: 'resync'
      readonly member: number
      readonly seat: number | undefined
      readonly isDone: boolean
    }
  /** Everything that could be found out about a desync, for the operator. */
  | { readonly type: 'desync-report'; readonly file: DesyncFile }
  | {
      readonly type: 'presence'
      readonly member: number
      readonly seat: number | undefined
      readonly event: PresenceEvent['type']
    }
  /** A player has been idle for as long as the match allows, or is active again. */
  | {
      readonly type: 'afk'
      readonly member: number
      readonly seat: number | undefined
      readonly isAfk: boolean
    }
  /**
   * A player left. `told` is the message it got, if the relay ended its session; `blame` is the
   * record for results and ladders, if it was dropped for silence or for falling behind.
   */
  | {
      readonly type: 'left'
      readonly seat: number
      readonly reason: LeaveReason
      readonly told: string | undefined
      readonly blame: Blame | undefined
    }
  /** A bug of the relay, hit by something that came over a link: that session is ended. */
  | { readonly type: 'bug'; readonly error: unknown; readonly link: number }
  | { readonly type: 'ended' }

/**
 * A line of a match's history. Each relay that continues a match begins a new one: what its
 * predecessor tagged and no client gave back is not part of it.
 */
export interface MatchLine {
  readonly generation: number
  readonly id: Uint8Array
}

/** The line of a match that gives clients nothing to keep. */
export const firstLine: MatchLine = { generation: 0, id: new Uint8Array(lineBytes) }

/** What a match is created from. */
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
  /** Whether members are shown values when a desync is explained: for development. */
  readonly showsDesyncValues?: boolean
  /** Whether the relay asks for a state from before a desync, for the report. */
  readonly collectsDesyncStates?: boolean
  /** How often within ten minutes one player is given the state of the others. */
  readonly resyncsMax?: number
  /** The limits that the operator sets for it. */
  readonly limits?: RoomLimits
  /** Whether a kick applies to the address too. */
  readonly kicksAddresses?: boolean
  /** The most lost time that its clock makes up, in ms. */
  readonly makeUpMs?: number
  /** Notes what happens for the record. Without it, nothing is recorded. */
  readonly notes?: MatchNotes | undefined
  /** Which line of its history this is; the first when left out. */
  readonly line?: MatchLine | undefined
  /** Queues turns until the next tick. Without it, each is handled on arrival. */
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
  /** Only its link is closed, without a message; the session waits for its player to come back. */
  readonly isLinkOnly: boolean
}
