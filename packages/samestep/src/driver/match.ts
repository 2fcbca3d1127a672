import type { ClientStatus } from '../client/conversation.ts'
import type { ClientEvent, Cursors } from '../client/events.ts'
import type { OrderEnd } from '../client/order-outbox.ts'
import type { PlayState, RoomView } from '../client/play-state.ts'
import type { ClientStatistics } from '../client/statistics.ts'
import type { GameInput, GameShape } from '../sim/game/context.ts'
import type { OrderData } from '../sim/game/order.ts'
import type { TickReport } from '../sim/game/report.ts'
import type { Simulation } from '../sim/game/simulation.ts'
import type { ViewOf } from '../sim/state/part.ts'
import type { BlendOf, PreviousOf } from '../sim/state/previous.ts'
import type { RoomAction } from '../wire/room-actions.ts'

type EventOf<T extends ClientEvent['type']> = Extract<ClientEvent, { type: T }>

/** What a match tells a game. */
export interface MatchEvents {
  /** Ticks with orders or faults in them. */
  readonly tick: TickReport
  readonly status: ClientStatus
  /** Who is in the match, and where it stands. */
  readonly room: RoomView
  /** The simulation is set up; in a lobby this is when to load, and to draw from. */
  readonly launched: EventOf<'launched'>
  /** The launch was called off: back to the lobby. */
  readonly aborted: EventOf<'aborted'>
  readonly said: EventOf<'said'>
  readonly vote: EventOf<'vote'>['vote']
  /** A wish that was not granted. */
  readonly denied: EventOf<'denied'>
  readonly stats: EventOf<'stats'>['stats']
  readonly bot: EventOf<'bot'>
  /** The best transport did not work, and another one is used. */
  readonly fallback: { readonly from: string; readonly to: string; readonly message: string }
  readonly closed: { readonly reason: string; readonly message: string }
}

/** An order on its way. */
export interface OrderHandle {
  /** `undefined` until it is settled; then how it ended. */
  readonly end: OrderEnd | undefined
  /** Settles when the order does; never rejects. */
  readonly settled: Promise<OrderEnd>
}

/** What to draw: two ticks and where between them we are. */
export interface Picture<G extends GameShape, R> {
  /** The newest tick that ran. */
  readonly current: ViewOf<G['state']>
  /** The columns named in `render`, one tick earlier. */
  readonly previous: PreviousOf<G['state'], R>
  /** Drawn values between the two: `blend.units.x(row, alpha)`. */
  readonly blend: BlendOf<R>
  /** 0 at the previous tick, 1 at the current one. */
  readonly alpha: number
  readonly tick: number
}

/**
 * A game being played, whatever carries it: alone, over a relay, hosted by a peer, or from a replay.
 * Where it is run by another thread, what is seen of its simulation is a view.
 */
export interface Match<G extends GameShape, R, S = Simulation<G, R>> {
  readonly status: ClientStatus
  /** This player's seat. */
  readonly seat: number | undefined
  /** Who this player is in {@link room}. */
  readonly member: number | undefined
  /** Who is in the match and where it stands; `undefined` before the first word about it. */
  readonly room: RoomView | undefined
  readonly cursors: Cursors
  /** Everything that an overlay shows. */
  readonly statistics: ClientStatistics
  /** Throws `SS_NOT_LAUNCHED` while the match is in its lobby. */
  readonly simulation: S
  /** Asks for an order to happen at the next open tick, for everybody the same. */
  order<K extends keyof G['orders'] & string>(name: K, data: OrderData<G['orders'], K>): OrderHandle
  /** Changes what is held, until it is changed again. */
  input(changes: Partial<GameInput<G>>): void
  /** Asks for something about the match: a seat, a start, a pause, a vote, a line of chat. */
  act(action: RoomAction): void
  /** Runs the ticks that are due and gives what to draw. Call it once per frame. */
  advance(nowMs: number): Picture<G, R>
  /** What to show about the flow of the game: stalled, catching up, slow. */
  playState(): PlayState
  /** Listens; gives its own undo. */
  on<K extends keyof MatchEvents>(type: K, listener: (event: MatchEvents[K]) => void): () => void
  close(): void
}
