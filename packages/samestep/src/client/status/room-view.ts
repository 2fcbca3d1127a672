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

/** A member of a match, as the others see them. */
export interface RoomMember {
  /** Numbers members from 0, in the sequence in which they joined. */
  readonly id: number
  readonly name: string
  readonly role: Role
  /** The seat they play; `undefined` for spectators. */
  readonly seat: number | undefined
  readonly team: number
  /** Whether they have said that they are ready. */
  readonly isReady: boolean
  /** Whether they own the match: they may change its options, start it and kick members. */
  readonly isOwner: boolean
  /** How much of the match they have loaded, in percent. */
  readonly loadProgress: number
  readonly presence: PresenceWord
  /** Whether they have been idle for longer than the match allows. */
  readonly isAfk: boolean
  /** The seat they had before and may take back. */
  readonly claim: number | undefined
}

/** A match and its members, with the options of the game `G`. */
export interface RoomView<G extends Partial<GameShape> = GameShape> {
  /** Increases with every change received from the relay. */
  readonly revision: number
  readonly phase: 'lobby' | 'loading' | 'countdown' | 'running' | 'ended'
  /** The remaining time of the countdown, or for loading. */
  readonly remainingMs: number
  /** Increases with every change of the options. */
  readonly optionsRevision: number
  /** The options of the match, complete and frozen. The owner changes them with `set-options`. */
  readonly options: Readonly<GameOptions<G>>
  readonly visibility: (typeof visibilities)[number]
  /** Who may join while the match runs. */
  readonly lateJoin: (typeof lateJoins)[number]
  /** Seats that nobody may take. */
  readonly lockedSeats: readonly number[]
  /** Seats whose inputs the match is waiting for, under the policy `wait`. */
  readonly waitingFor: readonly number[]
  /** Whether the match is halted by a desync. */
  readonly isHalted: boolean
  /** All members, in the sequence in which they joined. */
  readonly members: readonly RoomMember[]
}

/** A chat message. */
export interface ChatLine {
  /** The sender: the `id` of a {@link RoomMember}. */
  readonly member: number
  /** Who can read it. */
  readonly scope: ChatScope
  readonly text: string
}

/** The state or the result of a vote. */
export interface VoteView {
  readonly id: number
  readonly kind: VoteKind
  /** The seat that the vote is about, for `kick` and `mute`. */
  readonly target: number | undefined
  /** The proposed speed, for `speed`. */
  readonly percent: number
  /** The seat that proposed it. */
  readonly proposer: number
  readonly yes: number
  readonly no: number
  /** How many may vote, and how many yes votes are needed. */
  readonly electors: number
  readonly needed: number
  readonly remainingMs: number
  readonly state: 'open' | 'passed' | 'denied' | 'timeout' | 'target-left'
}

/** The connection and load of one player. */
export interface SeatStats {
  readonly seat: number
  /** Round-trip time and its variation, measured by the relay; `undefined` before the first measurement. */
  readonly rttMs: number | undefined
  readonly jitterMs: number | undefined
  readonly lossPercent: number
  /** The smallest margin by which inputs arrive in time; negative if late, `undefined` if none came. */
  readonly marginMs: number | undefined
  /** The share of the time that ticks and drawing take. */
  readonly loadPercent: number
  /** Sealed ticks that this player has not executed yet. */
  readonly behindTicks: number
  /** How long orders are queued at the relay for their tick: median and 95th percentile. */
  readonly orderWaitMs: number
  readonly orderWaitP95Ms: number
  /** How many ticks share a packet: 1 unless the connection is too slow. */
  readonly ticksPerPacket: number
}

/** The connection and load of all players, reported by the relay once per second. */
export interface MatchStats {
  /** Ticks between making an input and executing it. */
  readonly inputDelay: number
  /** The requested speed, and the one that lag protection allows. */
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
  return { ...match, seats: seats.map(readSeat) }
}

/** By name: copying what remains of an object is a hundred times as slow, and there may be 256 seats. */
function readSeat(told: MessageBody<'RelayStats'>['seats'][number]): SeatStats {
  const { rttMs, jitterMs, marginMs } = told
  return {
    seat: told.seat,
    rttMs: rttMs === unknownMs ? undefined : rttMs,
    jitterMs: jitterMs === unknownMs ? undefined : jitterMs,
    lossPercent: told.lossPercent,
    marginMs: marginMs === marginUnknown ? undefined : marginMs,
    loadPercent: told.loadPercent,
    behindTicks: told.behindTicks,
    orderWaitMs: told.orderWaitMs,
    orderWaitP95Ms: told.orderWaitP95Ms,
    ticksPerPacket: told.ticksPerPacket,
  }
}

const unknownMs = 65_535
