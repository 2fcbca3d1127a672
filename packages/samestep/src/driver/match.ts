import type { ClientStatus } from '../client/conversation.ts'
import type { Cursors } from '../client/events.ts'
import type { OrderEnd } from '../client/order-outbox.ts'
import type { GameInput, GameShape } from '../sim/game/context.ts'
import type { OrderData } from '../sim/game/order.ts'
import type { TickReport } from '../sim/game/report.ts'
import type { Simulation } from '../sim/game/simulation.ts'
import type { ViewOf } from '../sim/state/part.ts'
import type { BlendOf, PreviousOf } from '../sim/state/previous.ts'

/** What a match tells a game. */
export interface MatchEvents {
  /** Ticks with orders or faults in them. */
  readonly tick: TickReport
  readonly status: ClientStatus
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
 */
export interface Match<G extends GameShape, R> {
  readonly status: ClientStatus
  /** This player's seat. */
  readonly seat: number | undefined
  readonly cursors: Cursors
  readonly simulation: Simulation<G, R>
  /** Asks for an order to happen at the next open tick, for everybody the same. */
  order<K extends keyof G['orders'] & string>(name: K, data: OrderData<G['orders'], K>): OrderHandle
  /** Changes what is held, until it is changed again. */
  input(changes: Partial<GameInput<G>>): void
  /** Runs the ticks that are due and gives what to draw. Call it once per frame. */
  advance(nowMs: number): Picture<G, R>
  /** Listens; gives its own undo. */
  on<K extends keyof MatchEvents>(type: K, listener: (event: MatchEvents[K]) => void): () => void
  close(): void
}
