import type { GameOptions, GameShape } from '../../sim/game/definition/context.ts'
import type { PresenceWord, Role } from '../../wire/codes.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import type {
  ChatScope,
  lateJoins,
  VoteKind,
  visibilities,
} from '../../wire/messages/room-actions.ts'
import { marginUnknown } from '../../wire/ticks/relay-bundles.ts'

/** Somebody in a match, as the others see them. */
export interface RoomMember {
  /** Counts everybody who came, from 0. */
  readonly id: number
  readonly name: string
  readonly role: Role
  /** The seat that they play; `undefined` for spectators. */
  readonly seat: number | undefined
  readonly team: number
  /** Whether they have said that the match may begin. */
  readonly isReady: boolean
  /** Whether they decide about the match: its options, its start, who is kicked. */
  readonly isOwner: boolean
  /** How much of the match they have loaded, in percent. */
  readonly loadProgress: number
  readonly presence: PresenceWord
  /** Whether they have done nothing for as long as the match allows. */
  readonly isAfk: boolean
  /** The seat that they had before and may take back. */
  readonly claim: number | undefined
}

/** A match and who is in it, with the options of the game `G`. */
export interface RoomView<G extends Partial<GameShape> = GameShape> {
  /** Counts the changes that the relay has shown. */
  readonly revision: number
  readonly phase: 'lobby' | 'loading' | 'countdown' | 'running' | 'ended'
  /** How long the countdown lasts, or how long loading may take. */
  readonly remainingMs: number
  /** Counts the changes of the options. */
  readonly optionsRevision: number
  /** What the match is played with, complete and frozen. The owner changes it by `set-options`. */
  readonly options: Readonly<GameOptions<G>>
  readonly visibility: (typeof visibilities)[number]
  /** Who may come while the match runs. */
  readonly lateJoin: (typeof lateJoins)[number]
  /** Seats that nobody may take. */
  readonly lockedSeats: readonly number[]
  /** Seats whose inputs everybody waits for, in a match that waits for them. */
  readonly waitingFor: readonly number[]
  /** Whether the match stands still because machines have different states. */
  readonly isHalted: boolean
  /** Everybody, in the sequence in which they came. */
  readonly members: readonly RoomMember[]
}

/** A line of chat. */
export interface ChatLine {
  /** Who said it, by the `id` of a {@link RoomMember}. */
  readonly member: number
  /** Whom it was for. */
  readonly scope: ChatScope
  readonly text: string
}

/** How a vote stands, or ended. */
export interface VoteView {
  readonly id: number
  readonly kind: VoteKind
  /** The seat that it is about, for `kick` and `mute`. */
  readonly target: number | undefined
  /** The speed that it is about, for `speed`. */
  readonly percent: number
  /** The seat that asked for it. */
  readonly proposer: number
  readonly yes: number
  readonly no: number
  /** How many may vote, and how many have to say yes. */
  readonly electors: number
  readonly needed: number
  readonly remainingMs: number
  readonly state: 'open' | 'passed' | 'denied' | 'timeout' | 'target-left'
}

/** How one player fares. */
export interface SeatStats {
  readonly seat: number
  /** Round trip and its variation, as the relay measures them; `undefined` until it has. */
  readonly rttMs: number | undefined
  readonly jitterMs: number | undefined
  readonly lossPercent: number
  /** How early inputs arrive, at the least; negative when late, `undefined` where none came. */
  readonly marginMs: number | undefined
  /** How much of the time ticks and drawing take. */
  readonly loadPercent: number
  /** Ticks that are sealed and not executed there. */
  readonly behindTicks: number
  /** How long orders wait at the relay for their tick: median, and what 95 % do not exceed. */
  readonly orderWaitMs: number
  readonly orderWaitP95Ms: number
  /** How many ticks share a packet: 1 unless the line is too narrow. */
  readonly ticksPerPacket: number
}

/** How everybody fares, as the relay says once per second. */
export interface MatchStats {
  /** Ticks between making an input and executing it. */
  readonly inputDelay: number
  /** The speed that was asked for, and the one that lag protection allows. */
  readonly requestedPercent: number
  readonly effectivePercent: number
  /** The newest tick on which several machines agreed and none differed. */
  readonly comparedTick: number
  /** How many ticks differed. */
  readonly mismatches: number
  readonly seats: readonly SeatStats[]
}

/** Reads what a relay said: on the wire, numbers stand for what is not known. */
export function readStats({ seats, ...match }: MessageBody<'RelayStats'>): MatchStats {
  return {
    ...match,
    seats: seats.map(({ rttMs, jitterMs, marginMs, ...seat }) => ({
      ...seat,
      rttMs: rttMs === unknownMs ? undefined : rttMs,
      jitterMs: jitterMs === unknownMs ? undefined : jitterMs,
      marginMs: marginMs === marginUnknown ? undefined : marginMs,
    })),
  }
}

const unknownMs = 65_535
