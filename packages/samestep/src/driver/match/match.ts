import type { EndReason } from '../../client/conversation/end-reason.ts'
import type { ClientEvent, Cursors } from '../../client/events.ts'
import type { MatchAction } from '../../client/membership/match-action.ts'
import type { PassedOnEvents } from '../../client/membership/passed-on.ts'
import { passedOn } from '../../client/membership/passed-on.ts'
import type { OrderEnd } from '../../client/outbox/order-outbox.ts'
import type { Blame } from '../../client/status/blame.ts'
import type { ClientStatus } from '../../client/status/client-status.ts'
import type { PlayState } from '../../client/status/play-state.ts'
import type { Presence } from '../../client/status/presence-changes.ts'
import type { RoomView } from '../../client/status/room-view.ts'
import type { ClientStatistics } from '../../client/status/statistics.ts'
import type { GameInput, GameShape } from '../../sim/game/definition/context.ts'
import type { OrderData } from '../../sim/game/orders/order.ts'
import type { TickReport } from '../../sim/game/run/report.ts'
import type { SimulationView } from '../../sim/game/run/simulation-view.ts'
import type { TickTimings } from '../../sim/game/run/tick-timer.ts'
import type { ViewOf } from '../../sim/state/part.ts'
import type { BlendOf, PreviousOf } from '../../sim/state/previous.ts'
import type { MatchDebug } from '../debug/match-debug.ts'
import type { MatchFault } from './fault-log.ts'
import type { SavableReport } from './savable-report.ts'

type EventOf<T extends ClientEvent['type']> = Extract<ClientEvent, { type: T }>

/** Why a match is over: the relay's reason, or one of this side. `docs/errors.md` explains each. */
export type MatchEndReason =
  | EndReason
  /** The worker that played the match is gone, or was never there. */
  | 'worker-lost'

/** What a match tells a game. What the relay says of it is in `passedOn`, each with its message. */
export interface MatchEvents<G extends GameShape = GameShape> extends PassedOnEvents<G> {
  /** Machines differ; and again, as more is known of it. */
  readonly desync: SavableReport
  /** Ticks with orders or faults in them. */
  readonly tick: TickReport
  readonly status: ClientStatus
  /** The simulation is set up; in a lobby this is when to load, and to draw from. */
  readonly launched: EventOf<'launched'>
  /** A seat was handed over: this client plays that one from here on, or none any more. */
  readonly seat: EventOf<'seat'>
  /** The launch was called off: back to the lobby. */
  readonly aborted: EventOf<'aborted'>
  readonly bot: EventOf<'bot'>
  /** Somebody came, fell silent, came back, lags, hides, catches up or left. */
  readonly presence: Presence
  /** {@link Match.blame} has changed. */
  readonly blame: Blame
  /** An own order was issued, or has ended: each of both once for every order. */
  readonly order: OrderEvent<G>
  /** An own input came too late for its tick and did not count: `count` are all so far. */
  readonly 'input-missed': { readonly tick: number; readonly count: number }
  /** {@link Match.transport} has changed: another one carries the match, or none. */
  readonly transport: { readonly transport: string | undefined }
  /** The best transport did not work, and another one is used. */
  readonly fallback: { readonly from: string; readonly to: string; readonly message: string }
  /**
   * The game's own code threw: in `setup`, `validate`, `apply`, a system or derived data. In development
   * also a value that did not fit its cell (`where: 'cell'`), and the console has all of them. From debug
   * level 2 on also what the level found (`where: 'debug'`).
   */
  readonly fault: MatchFault
  /** The match is over, and why. `error` is what the game's `setup` threw, if that was it. */
  readonly closed: {
    readonly reason: MatchEndReason
    readonly message: string
    readonly error?: unknown
  }
}

/** One of the match's events, whichever. */
export type AnyEvent = {
  [K in keyof MatchEvents]: { readonly name: K; readonly value: MatchEvents[K] }
}[keyof MatchEvents]

/** The names of all events: the compiler misses one that is missing. */
export const matchEventNames = Object.keys({
  ...invert(passedOn),
  tick: true,
  status: true,
  launched: true,
  seat: true,
  aborted: true,
  bot: true,
  order: true,
  presence: true,
  blame: true,
  'input-missed': true,
  transport: true,
  fallback: true,
  fault: true,
  closed: true,
} satisfies { readonly [K in keyof MatchEvents]: unknown }) as readonly (keyof MatchEvents)[]

function invert<T extends { readonly [name: string]: string }>(
  table: T,
): { readonly [K in T[keyof T]]: string } {
  const entries = Object.entries(table).map(([name, event]) => [event, name])
  return Object.fromEntries(entries) as { readonly [K in T[keyof T]]: string }
}

/** How an order is issued. */
export interface OrderOptions {
  /** Refuse it at once where {@link Match.canOrder} gives a reason: nothing is sent then. */
  readonly precheck?: boolean
}

/** An order that this player issued. */
export type IssuedOrder<G extends Pick<GameShape, 'orders'> = GameShape> = {
  readonly [K in keyof G['orders'] & string]: {
    /** Counts the orders that were issued here, from 0. */
    readonly number: number
    readonly name: K
    /** As everybody will read it. */
    readonly data: OrderData<G['orders'], K>
    /** The newest tick that was seen here when it was issued. */
    readonly issuedTick: number
  }
}[keyof G['orders'] & string]

/** That an order was issued, or how it ended. One that is refused by its precheck was never issued. */
export type OrderEvent<G extends Pick<GameShape, 'orders'> = GameShape> = {
  readonly order: IssuedOrder<G>
} & ({ readonly result: 'issued' } | OrderEnd)

/** An order on its way. */
export interface OrderHandle {
  /** `undefined` until it is settled; then how it ended. */
  readonly end: OrderEnd | undefined
  /** Settles when the order does; never rejects. */
  readonly settled: Promise<OrderEnd>
}

/** What to draw: two ticks and where between them we are. */
export interface Picture<G extends GameShape, R> {
  /** Where the match stands. Before it runs, there may be nothing to draw but an empty world. */
  readonly phase: RoomView['phase']
  /** The newest tick that ran. While the match is in its lobby: every table empty. */
  readonly current: ViewOf<G['state']>
  /** The columns named in `render`, one tick earlier. */
  readonly previous: PreviousOf<G['state'], R>
  /** Drawn values between the two: `blend.units.x(row, alpha)`. */
  readonly blend: BlendOf<R>
  /** 0 at the previous tick, 1 at the current one. */
  readonly alpha: number
  /** The newest tick that ran, as `step` counts: a pause stops it. */
  readonly tick: number
}

/**
 * A game being played, whatever carries it: alone (`playLocal`), over a relay (`joinMatch`), or over a
 * relay and in a worker (`joinMatchInWorker`). What plays one of them plays them all.
 *
 * `S` is what is seen of the simulation: itself where it runs in this thread, otherwise a view of it.
 */
export interface Match<G extends GameShape, R, S = SimulationView<G, R>> {
  readonly status: ClientStatus
  /** This player's seat. */
  readonly seat: number | undefined
  /** Who this player is in {@link room}. */
  readonly member: number | undefined
  /** Who is in the match and where it stands; `undefined` before the first word about it. */
  readonly room: RoomView<G> | undefined
  /** Whom the match waits for, or is slowed by. */
  readonly blame: Blame
  readonly cursors: Cursors
  /** Seats whose bots think here: see {@link orderAs} and {@link inputAs}. The event `bot` tells of changes. */
  readonly botSeats: readonly number[]
  /** Own orders that have not ended, the oldest first: what to mark on the map until it happens. */
  readonly pendingOrders: readonly IssuedOrder<G>[]
  /** Everything that an overlay shows. In a worker, as of a tenth of a second ago. */
  readonly statistics: ClientStatistics
  /** Which transport carries the match now; `local` for none; `undefined` while there is no link. */
  readonly transport: string | undefined
  /**
   * What ticks cost, by phase and by system: `undefined` unless somebody measures them. In a worker, as of
   * a tenth of a second ago.
   */
  readonly timings: TickTimings | undefined
  /** How closely the match looks at itself while it runs: see `docs/desync.md`. */
  readonly debug: MatchDebug
  /** Throws `SS_NOT_LAUNCHED` while the match is in its lobby. */
  readonly simulation: S
  /** Asks for an order to happen at the next open tick, for everybody the same. */
  order<K extends keyof G['orders'] & string>(
    name: K,
    data: OrderData<G['orders'], K>,
    options?: OrderOptions,
  ): OrderHandle
  /**
   * Whether an order would run, by this player's state as it is now: `true`, or the reason why not, in the
   * words of the game's `validate`. Compare with `=== true`, for a reason is truthy as well. Nothing is
   * sent; the tick itself decides, and may decide otherwise, because others act before it.
   *
   * @throws UsageError for what is no order of the game.
   */
  canOrder<K extends keyof G['orders'] & string>(
    name: K,
    data: OrderData<G['orders'], K>,
  ): true | string
  /**
   * Issues an order for a seat whose bot thinks here. False when too many wait, or it has moved. In a
   * worker, true says no more than that the worker was told.
   */
  orderAs<K extends keyof G['orders'] & string>(
    seat: number,
    name: K,
    data: OrderData<G['orders'], K>,
  ): boolean
  /**
   * Changes what the bot of a seat holds, until it is changed again; it counts from the next tick that
   * the relay seals on. False when the bot does not think here.
   */
  inputAs(seat: number, changes: Partial<GameInput<G>>): boolean
  /** Changes what is held, until it is changed again. */
  input(changes: Partial<GameInput<G>>): void
  /**
   * Asks for something about the match: a seat, a start, a pause, a vote, a line of chat. The owner of a
   * lobby changes the game's options by `{ type: 'set-options', options: { size: 9 } }`; those that are
   * not named stay as they are. {@link room} shows what was granted.
   *
   * @throws UsageError for an action that there is not, or that lacks something.
   */
  act(action: MatchAction<G>): void
  /** Says how far the game is with loading, in percent: see `loadsItself`. */
  reportLoad(percent: number): void
  /**
   * Runs the ticks that are due and gives what to draw, in every phase of a match. Call it once per
   * frame, with the frame's time.
   *
   * @throws UsageError `SS_BAD_ARGUMENT` without a time. In development also what the guard found.
   */
  advance(nowMs: number): Picture<G, R>
  /**
   * Tells how long drawing took, so that a slow machine shares its time well. In a worker nothing
   * follows from it: drawing has a thread of its own.
   */
  noteDraw(costMs: number): void
  /**
   * Measures what ticks cost from here on: see {@link timings}. Gives its own undo. While nobody measures,
   * nothing is measured.
   */
  measureTicks(): () => void
  /** What to show about the flow of the game: waiting, paused, stalled, catching up, slow, closed. */
  playState(): PlayState<G>
  /**
   * Nobody looks, or somebody does again. In browsers the page's visibility is followed by itself. A
   * worker plays on as before, and the relay is told only where its timers are held back as well.
   */
  setHidden(isHidden: boolean): void
  /** Listens; gives its own undo. Throws `SS_BAD_ARGUMENT` for a name that no event has. */
  on<K extends keyof MatchEvents>(type: K, listener: (event: MatchEvents<G>[K]) => void): () => void
  /** Leaves the match for good. */
  close(): void
}
