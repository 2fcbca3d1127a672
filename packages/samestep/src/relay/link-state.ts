import type { Channel } from '../link/channel.ts'
import { isClientTurn } from '../wire/client-turn.ts'
import type { Message, MessageBody } from '../wire/messages.ts'
import type { Match } from './match.ts'
import type { Fault, GameIdentity } from './match-types.ts'
import type { Session } from './session.ts'

/** Where a link stands with us. */
export type LinkState =
  | { readonly name: 'stranger'; readonly untilMs: number }
  | { readonly name: 'known'; readonly identity: GameIdentity; readonly untilMs: number }
  | SeatedState
  /** Everything is said; datagrams may still have to be repeated until they arrive. */
  | { readonly name: 'ending'; readonly code: number; readonly untilMs: number }

/** It carries a session. */
export type SeatedState = {
  readonly name: 'seated'
  readonly match: Match
  readonly session: Session
}

/** One transport connection, and how far its other end has come. */
export type Link = {
  readonly id: number
  /** Counts the links of a relay, so that those that are due together are served in one sequence. */
  readonly serial: number
  readonly channel: Channel
  /** What whoever drives the relay gave with it, and is given back with what is to be sent. */
  readonly owner: unknown
  state: LinkState
  /** False once the relay has let go of it. */
  isOpen: boolean
  /** Whether its turns wait for the next tick of its match, and the newest one that does, or −1. */
  mayWait: boolean
  newestTurn: number
  /** When it wants to be woken, as far as the relay has noted it. */
  wakeAtMs: number
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
  owner?: unknown,
): Link {
  const state: LinkState = { name: 'stranger', untilMs: nowMs + handshakeMsMax }
  return {
    // What every packet looks at comes first, so that it lies side by side in memory.
    isOpen: true,
    channel,
    mayWait: false,
    newestTurn: -1,
    id,
    owner,
    state,
    wakeAtMs: Number.POSITIVE_INFINITY,
    serial,
  }
}

/**
 * Takes in what a newer message overtook.
 *
 * @throws WireError when it is a turn, and is none.
 */
export function handleLate({ state }: Link, bytes: Uint8Array, nowMs: number): void {
  if (state.name !== 'seated' || !isClientTurn(bytes)) return
  // Those that came before it count before it: it may bring the newer token.
  state.match.takeTurns(nowMs)
  state.match.turns.handleLate(state.session, bytes, nowMs)
}

/** What a client is told when it is in. */
export function seatedBody(match: Match, session: Session): MessageBody<'RelaySeated'> {
  return {
    matchId: match.id,
    ticket: session.ticket,
    member: session.member,
    seat: session.seat,
    seed: match.seed,
    isLaunched: match.isLaunched,
    config: match.config,
    orderNumber: session.nextOrder,
    sealedTick: match.log.sealedTick,
  }
}

/** What only those who sit or watch may send, besides turns. */
export type SeatedMessage = Extract<
  Message,
  { name: 'ClientAct' | 'ClientBotOrders' | 'ClientHere' }
>

/**
 * Takes in such a message. Gives what its sender is to be closed for.
 *
 * @throws WireError when it says what nobody can say.
 */
export function handleSeated(
  { match, session }: SeatedState,
  message: SeatedMessage,
  nowMs: number,
): Fault | undefined {
  switch (message.name) {
    case 'ClientAct':
      return match.handleAct(session, message.body, nowMs)
    case 'ClientBotOrders':
      return match.turns.handleBotOrders(session, message.body, nowMs)
    case 'ClientHere':
      match.handleHere(session, message.body, nowMs)
      return undefined
  }
}

/** Whether what comes over a link may move the next seal. */
export function isWaitedFor({ state }: Link): boolean {
  return state.name === 'seated' && state.match.waitsForInputs
}
