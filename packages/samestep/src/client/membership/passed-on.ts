import type { DesyncReport } from '../../desync/report.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Denial } from '../../wire/codes.ts'
import type { Message, MessageBody, MessageName } from '../../wire/messages/messages.ts'
import type { RoomActionType } from '../../wire/messages/room-actions.ts'
import type { ChatLine, MatchStats, RoomView, VoteView } from '../status/room-view.ts'

/**
 * What a relay says about a match beside its ticks, and the event by which a game hears of it: the one
 * place where both stand. The client's events, those of a `Match`, and what a worker tells its page all
 * follow from it.
 */
export const passedOn = {
  RelayRoom: 'room',
  RelaySaid: 'said',
  RelayVote: 'vote',
  RelayDenied: 'denied',
  RelayStats: 'stats',
  RelayDesync: 'desync',
  RelayFinding: 'desync',
  RelayDebug: 'debug-wish',
} as const satisfies { readonly [N in MessageName]?: string }

type PassedOn = typeof passedOn

/** A message that is passed on. */
export type PassedOnMessage = Extract<Message, { readonly name: keyof PassedOn }>

/** What a game is told, by the name of the event. */
export type PassedOnEvents<G extends Partial<GameShape> = GameShape> = {
  readonly [N in keyof PassedOn as PassedOn[N]]: N extends keyof Told<G>
    ? Told<G>[N]
    : MessageBody<N>
}

/** What is told in other words than it is sent. */
interface Told<G extends Partial<GameShape>> {
  readonly RelayRoom: RoomView<G>
  readonly RelaySaid: ChatLine
  readonly RelayVote: VoteView
  readonly RelayStats: MatchStats
  readonly RelayDenied: Denied
  readonly RelayDesync: DesyncReport
  readonly RelayFinding: DesyncReport
}

/** A wish that was not granted. On the wire both are words, which a later relay may have more of. */
export interface Denied {
  readonly action: RoomActionType
  /** `not-connected`: the link was lost before a worker could pass it on. */
  readonly reason: Denial | 'not-connected'
}

/** One of these events, as a client tells it. */
export type PassedOnEvent = {
  [K in keyof PassedOnEvents]: { readonly type: K; readonly body: PassedOnEvents[K] }
}[keyof PassedOnEvents]

const eventNames: ReadonlySet<string> = new Set(Object.values(passedOn))

/** Whether a message is one that is passed on. */
export function isPassedOn(message: Message): message is PassedOnMessage {
  return Object.hasOwn(passedOn, message.name)
}

/** The event by which a message is passed on; rooms, figures and desyncs are read first. */
export function passOn({
  name,
  body,
}: Exclude<PassedOnMessage, DesyncMessage | { name: 'RelayRoom' | 'RelayStats' }>): PassedOnEvent {
  return { type: passedOn[name], body } as PassedOnEvent
}

/** What a relay says about a desync: what it is told of is put together from all of it. */
export type DesyncMessage = Extract<Message, { readonly name: 'RelayDesync' | 'RelayFinding' }>

/** What a relay says only before somebody is in, or in the end, and what it never says. */
export type OtherMessage =
  | `Client${string}`
  | 'RelayRefuse'
  | 'RelayWelcome'
  | 'RelayChallenge'
  | 'RelayDoors'
  | 'RelayRecover'
  | 'RelaySeated'
  | 'RelayClose'

/** Whether an event passes a message on. */
export function isPassedOnEvent<E extends { readonly type: string }>(
  event: E | PassedOnEvent,
): event is PassedOnEvent {
  return eventNames.has(event.type)
}
