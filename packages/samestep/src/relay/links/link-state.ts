import type { Channel } from '../../link/channel.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import type { Software } from '../../wire/messages/software.ts'
import type { Match } from '../match/match.ts'
import type { GameIdentity } from '../match/match-types.ts'
import type { Session } from '../match/session.ts'
import type { Giver } from '../recovery/recoveries.ts'
import type { RelayWakeReason } from '../wake-reason.ts'
import { PacketBudget } from './packet-budget.ts'

/** Where a link stands with us. */
export type LinkState =
  | { readonly name: 'stranger'; readonly untilMs: number }
  | { readonly name: 'known'; readonly identity: GameIdentity; readonly untilMs: number }
  /** It has the ticket of a session, and is asked to prove that it may. */
  | ChallengedState
  /** Somebody else decides whether it may come in. */
  | AskingState
  /** It comes back to a match that nobody knows, and is asked what it has of it. */
  | RecoveringState
  /** It has proved that it was in that match, and waits for the others. */
  | ReturnedState
  | SeatedState
  | LeavingState
  /** Everything is said; datagrams may still have to be repeated until they arrive. */
  | { readonly name: 'ending'; readonly code: number; readonly untilMs: number }

/** It asked for a place, and waits for the answer. */
export type AskingState = {
  readonly name: 'asking'
  readonly identity: GameIdentity
  readonly join: MessageBody<'ClientJoin'>
  readonly untilMs: number
}

/** It is asked what it has of its match. */
export type RecoveringState = {
  readonly name: 'recovering'
  readonly identity: GameIdentity
  readonly join: MessageBody<'ClientJoin'>
  readonly nonce: Uint8Array
  readonly untilMs: number
}

/** It gives back what it has, or has done so. */
export type ReturnedState = {
  readonly name: 'returned'
  readonly identity: GameIdentity
  readonly join: MessageBody<'ClientJoin'>
  readonly giver: Giver
  readonly untilMs: number
}

/** Somebody has the ticket of a session, and has not proved yet that the session is his. */
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

/** What it carried is carried by another link of the same client now; what is on its way still counts. */
export type LeavingState = {
  readonly name: 'leaving'
  readonly match: Match
  readonly session: Session
  readonly untilMs: number
}

/** It carries a session, or did until another link took over. */
export type CarryingState = SeatedState | LeavingState

/** One transport connection, and how far its other end has come. */
export type Link = {
  readonly id: number
  /** Counts the links of a relay, so that those that are due together are served in one sequence. */
  readonly serial: number
  readonly channel: Channel
  /** What may still come over it. */
  readonly budget: PacketBudget
  /** Where it comes from, for limits per address; `undefined` where none is to be counted. */
  readonly address: string | undefined
  state: LinkState
  /** Whom it carries, of the state above: what its match asks for. */
  session: Session | undefined
  /** False once the relay has let go of it. */
  isOpen: boolean
  /** Whether its turns wait for the next tick of its match, and the newest one that does, or −1. */
  mayWait: boolean
  newestTurn: number
  /** When it wants to be woken, as far as the relay has noted it. */
  wakeAtMs: number
  /** The link from which it took over, and what has to wait until everything of that one is here. */
  behind: Link | undefined
  held: Uint8Array[]
}

/** How long a stranger may take to say who it is and what it wants. */
export const handshakeMsMax = 5_000

/** How long a farewell over datagrams is repeated: some round trips of a bad path. */
export const farewellMsMax = 3_000

/** A link of which nothing is known yet. */
export function makeLink(
  id: number,
  serial: number,
  channel: Channel,
  nowMs: number,
  address?: string,
): Link {
  const state: LinkState = { name: 'stranger', untilMs: nowMs + handshakeMsMax }
  return {
    // What every packet looks at comes first, so that it lies side by side in memory.
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

/** What a client is told when it is in. */
export function seatedBody(match: Match, session: Session): MessageBody<'RelaySeated'> {
  return {
    matchId: match.id,
    ticket: session.ticket,
    member: session.member.id,
    seat: session.seat,
    seed: match.seed,
    isLaunched: match.room.isLaunched,
    isStateComing: session.isWaitingForState,
    config: match.config,
    orderNumber: session.nextOrder,
    sealedTick: session.reachableTick(match.log.sealedTick),
    rebuiltTick: session.rewindTick,
  }
}

/** Why a link wants to be served. */
export function linkWakeReason({ channel, state }: Link): RelayWakeReason {
  if (state.name === 'seated' || channel.wakeAtMs() < state.untilMs) return 'channel'
  return state.name === 'ending' || state.name === 'leaving' ? 'farewell' : 'handshake'
}
