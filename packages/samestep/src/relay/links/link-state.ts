import type { Channel } from '../../link/channel.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import type { Software } from '../../wire/messages/software.ts'
import type { Match } from '../match/match.ts'
import type { GameIdentity } from '../match/match-types.ts'
import type { Session } from '../match/session.ts'
import type { Giver } from '../recovery/recoveries.ts'
import type { RelayWakeReason } from '../wake-reason.ts'
import { PacketBudget } from './packet-budget.ts'

/** How far a link has come. */
export type LinkState =
  | { readonly name: 'stranger'; readonly untilMs: number }
  | { readonly name: 'known'; readonly identity: GameIdentity; readonly untilMs: number }
  /** It has the ticket of a session, and must prove that the session is its own. */
  | ChallengedState
  /** The operator's code decides whether it may join. */
  | AskingState
  /** It returns to a match that this relay does not know, and is asked what it has of it. */
  | RecoveringState
  /** It has proved that it was in that match, and waits for the other members. */
  | ReturnedState
  | SeatedState
  | LeavingState
  /** The farewell was sent; over datagrams it may have to be repeated until it arrives. */
  | { readonly name: 'ending'; readonly code: number; readonly untilMs: number }

/** It asked to join, and waits for the decision. */
export type AskingState = {
  readonly name: 'asking'
  readonly identity: GameIdentity
  readonly join: MessageBody<'ClientJoin'>
  readonly untilMs: number
}

/** It was asked what it has of its match. */
export type RecoveringState = {
  readonly name: 'recovering'
  readonly identity: GameIdentity
  readonly join: MessageBody<'ClientJoin'>
  readonly nonce: Uint8Array
  readonly untilMs: number
}

/** It sends back what it has of the match, or has done so. */
export type ReturnedState = {
  readonly name: 'returned'
  readonly identity: GameIdentity
  readonly join: MessageBody<'ClientJoin'>
  readonly giver: Giver
  readonly untilMs: number
}

/** It has the ticket of a session, and has not proved yet that the session is its own. */
export type ChallengedState = {
  readonly name: 'challenged'
  readonly match: Match
  readonly session: Session
  readonly nonce: Uint8Array
  readonly nextTick: number
  readonly software: Software | undefined
  readonly untilMs: number
}

/** It carries a session. */
export type SeatedState = {
  readonly name: 'seated'
  readonly match: Match
  readonly session: Session
}

/** Another link of the same client carries its session now; what is in flight here still counts. */
export type LeavingState = {
  readonly name: 'leaving'
  readonly match: Match
  readonly session: Session
  readonly untilMs: number
}

/** It carries a session, or did until another link took over. */
export type CarryingState = SeatedState | LeavingState

/** One transport connection and its state. */
export type Link = {
  readonly id: number
  /** Numbers the links of a relay, so that those due together are served in a fixed sequence. */
  readonly serial: number
  readonly channel: Channel
  /** How much may still arrive over it. */
  readonly budget: PacketBudget
  /** Its address, for per-address limits; `undefined` if it is not counted. */
  readonly address: string | undefined
  state: LinkState
  /** The session of the state `seated`: what its match asks for. */
  session: Session | undefined
  /** False once the relay has forgotten it. */
  isOpen: boolean
  /** Whether its turns are queued until the match's next tick, and the newest queued one, or −1. */
  mayWait: boolean
  newestTurn: number
  /** When it needs to be woken, as the relay last noted it. */
  wakeAtMs: number
  /** The link from which it took over, and the messages held until that one has ended. */
  behind: Link | undefined
  held: Uint8Array[]
}

/** How long each step of a handshake may take. */
export const handshakeMsMax = 5_000

/** How long a farewell over datagrams is repeated: a few round trips of a bad path. */
export const farewellMsMax = 3_000

/** Makes the link of a client that has not said anything yet. */
export function makeLink(
  id: number,
  serial: number,
  channel: Channel,
  nowMs: number,
  address?: string,
): Link {
  const state: LinkState = { name: 'stranger', untilMs: nowMs + handshakeMsMax }
  return {
    // Fields that every packet reads come first, so that they are adjacent in memory.
    isOpen: true,
    channel,
    budget: new PacketBudget(nowMs),
    mayWait: false,
    newestTurn: -1,
    id,
    address,
    state,
    session: undefined,
    wakeAtMs: Number.POSITIVE_INFINITY,
    behind: undefined,
    held: [],
    serial,
  }
}

/** What a client is told once it is in. */
export function seatedBody(match: Match, session: Session): MessageBody<'RelaySeated'> {
  return {
    matchId: match.id,
    ticket: session.ticket,
    member: session.member.id,
    seat: session.seat,
    seatTick: session.seatTick,
    seed: match.seed,
    isLaunched: match.room.isLaunched,
    isStateComing: session.isWaitingForState,
    config: match.config,
    orderNumber: session.nextOrder,
    sealedTick: session.reachableTick(match.log.sealedTick),
    rebuiltTick: session.rewindTick,
  }
}

/** Why a link needs to be served. */
export function linkWakeReason({ channel, state }: Link): RelayWakeReason {
  if (state.name === 'seated' || channel.wakeAtMs() < state.untilMs) return 'channel'
  return state.name === 'ending' || state.name === 'leaving' ? 'farewell' : 'handshake'
}
