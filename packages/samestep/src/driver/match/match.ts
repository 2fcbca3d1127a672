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

/** Why a match ended: the relay's reason, or a local one. `docs/errors.md` explains each. */
export type MatchEndReason =
  | EndReason
  /** The worker that ran the match stopped, or never started. */
  | 'worker-lost'

/**
 * The events of a match. Those passed on from the relay are listed in `passedOn`, each with its message.
 */
export interface MatchEvents<G extends GameShape = GameShape> extends PassedOnEvents<G> {
  /** Machines have different states. Emitted again each time more is known. */
  readonly desync: SavableReport
  /** A tick that had orders or faults. */
  readonly tick: TickReport
  readonly status: ClientStatus
  /** The simulation is set up. After a lobby, start loading and drawing now. */
  readonly launched: EventOf<'launched'>
  /** A seat was handed over: this client now plays that seat, or none. */
  readonly seat: EventOf<'seat'>
  /** The launch was cancelled; the match is back in its lobby. */
  readonly aborted: EventOf<'aborted'>
  readonly bot: EventOf<'bot'>
  /** A member joined, fell silent, came back, lags, is hidden, is catching up, or left. */
  readonly presence: Presence
  /** {@link Match.blame} has changed. */
  readonly blame: Blame
  /** An order of this player was issued, or has ended. Each order causes exactly one event of each kind. */
  readonly order: OrderEvent<G>
  /** An input of this player arrived too late for its tick and was ignored. `count` is the total so far. */
  readonly 'input-missed': { readonly tick: number; readonly count: number }
  /** {@link Match.transport} has changed: the match uses another transport, or has no link. */
  readonly transport: { readonly transport: string | undefined }
  /** The best transport did not work; another one is used. */
  readonly fallback: { readonly from: string; readonly to: string; readonly message: string }
  /**
   * The game's own code threw: in `setup`, `validate`, `apply`, a system or derived data. In development
   * also a value that did not fit its cell (`where: 'cell'`); faults are then also logged to the
   * console. From debug level 2 on, also what the debug level found (`where: 'debug'`).
   */
  readonly fault: MatchFault
  /** The match is over, and why. If the game's `setup` threw, `error` is what it threw. */
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

/** Options for issuing an order. */
export interface OrderOptions {
  /** Refuse the order at once, without sending it, if {@link Match.canOrder} returns a reason. */
  readonly precheck?: boolean
}

/** An order that this player issued. */
export type IssuedOrder<G extends Pick<GameShape, 'orders'> = GameShape> = {
  readonly [K in keyof G['orders'] & string]: {
    /** The number of the order, counted from 0 on this client. */
    readonly number: number
    readonly name: K
    /** The data as every machine will decode it. */
    readonly data: OrderData<G['orders'], K>
    /** The newest tick known to this client when it issued the order. */
    readonly issuedTick: number
  }
}[keyof G['orders'] & string]

/** An order was issued, or has ended. An order refused by its precheck was never issued. */
export type OrderEvent<G extends Pick<GameShape, 'orders'> = GameShape> = {
  readonly order: IssuedOrder<G>
} & ({ readonly result: 'issued' } | OrderEnd)

/** A handle to an order that was issued. */
export interface OrderHandle {
  /** How the order ended; `undefined` until then. */
  readonly end: OrderEnd | undefined
  /** Resolves when the order has ended; never rejects. */
  readonly settled: Promise<OrderEnd>
}

/** What to draw: two ticks, and the position between them. */
export interface Picture<G extends GameShape, R> {
  /** The phase of the match. Before it runs, there may be only an empty world to draw. */
  readonly phase: RoomView['phase']
  /** The state after the newest tick that ran. In a lobby every table is empty. */
  readonly current: ViewOf<G['state']>
  /** The columns named in `render`, as they were one tick earlier. */
  readonly previous: PreviousOf<G['state'], R>
  /** Values interpolated between the two ticks: `blend.units.x(row, alpha)`. */
  readonly blend: BlendOf<R>
  /** 0 at the previous tick, 1 at the current one. */
  readonly alpha: number
  /** The newest tick that ran, as `step` counts ticks: a pause stops it. */
  readonly tick: number
}

/**
 * A match in progress: local (`playLocal`), over a relay (`joinMatch`), or over a relay in a worker
 * (`joinMatchInWorker`). Code written for one of them works with all.
 *
 * `S` is the type of `simulation`: the simulation itself if it runs in this thread, otherwise a view of it.
 */
export interface Match<G extends GameShape, R, S = SimulationView<G, R>> {
  readonly status: ClientStatus
  /** This player's seat; `undefined` for a client without one. */
  readonly seat: number | undefined
  /** The id of this player in {@link room}. */
  readonly member: number | undefined
  /** The members and the phase of the match; `undefined` until the relay has sent them. */
  readonly room: RoomView<G> | undefined
  /** Whom the match is waiting for or slowed down by. */
  readonly blame: Blame
  readonly cursors: Cursors
  /** Seats whose bots this client runs: see {@link orderAs} and {@link inputAs}. Changes emit `bot`. */
  readonly botSeats: readonly number[]
  /** This player's orders that have not ended, oldest first, for instance to mark them on the map. */
  readonly pendingOrders: readonly IssuedOrder<G>[]
  /** The figures that an overlay shows. With a worker they are up to a tenth of a second old. */
  readonly statistics: ClientStatistics
  /** The transport in use; `local` for a local match; `undefined` while there is no link. */
  readonly transport: string | undefined
  /**
   * What ticks cost, by phase and by system; `undefined` while they are not measured. With a worker, the
   * figures are up to a tenth of a second old.
   */
  readonly timings: TickTimings | undefined
  /** The debug level of the match and what it recorded: see `docs/desync.md`. */
  readonly debug: MatchDebug
  /** The simulation. Throws `SS_NOT_LAUNCHED` while the match is in its lobby. */
  readonly simulation: S
  /** Issues an order. It is executed in the next tick that is not sealed yet, the same on every machine. */
  order<K extends keyof G['orders'] & string>(
    name: K,
    data: OrderData<G['orders'], K>,
    options?: OrderOptions,
  ): OrderHandle
  /**
   * Whether an order would be accepted in the current local state: `true`, or the reason for refusal as the
   * game's `validate` gave it. Compare with `=== true`: a reason is truthy too. Nothing is sent. The tick
   * that executes the order may still decide otherwise, because other players act in between.
   *
   * @throws UsageError if the game has no such order, or the data does not fit it.
   */
  canOrder<K extends keyof G['orders'] & string>(
    name: K,
    data: OrderData<G['orders'], K>,
  ): true | string
  /**
   * Issues an order for a seat whose bot this client runs. Returns false if too many orders are queued, or
   * if the bot now runs elsewhere. With a worker, true means only that the worker was told.
   */
  orderAs<K extends keyof G['orders'] & string>(
    seat: number,
    name: K,
    data: OrderData<G['orders'], K>,
  ): boolean
  /**
   * Changes the held controls of a bot until the next change, starting with the next tick that the relay
   * seals. Returns false if this client does not run the bot.
   */
  inputAs(seat: number, changes: Partial<GameInput<G>>): boolean
  /** Changes this player's held controls until the next change. */
  input(changes: Partial<GameInput<G>>): void
  /**
   * Requests a room action: take a seat, start, pause, vote, chat and so on. The owner of a lobby changes
   * the game's options with `{ type: 'set-options', options: { size: 9 } }`; options not named keep their
   * values. {@link room} shows what was granted.
   *
   * @throws UsageError for an action that does not exist or is incomplete.
   */
  act(action: MatchAction<G>): void
  /** Reports the game's loading progress in percent: see `loadsItself`. */
  reportLoad(percent: number): void
  /**
   * Runs the ticks that are due and returns what to draw. Call it once per frame, in every phase of a
   * match, with the frame's time.
   *
   * @throws UsageError `SS_BAD_ARGUMENT` without a time. In development also errors found by the guard.
   */
  advance(nowMs: number): Picture<G, R>
  /**
   * Reports how long drawing took, so that a slow machine can divide its time between ticks and drawing. It
   * has no effect with a worker, where ticks run in another thread.
   */
  noteDraw(costMs: number): void
  /**
   * Starts measuring what ticks cost: see {@link timings}. Returns a function that undoes this. Nothing is
   * measured before.
   */
  measureTicks(): () => void
  /**
   * What to tell the player about the match: waiting, paused, stalled, catching up, slow, closed and so on.
   */
  playState(): PlayState<G>
  /**
   * Says whether the game is hidden from its player. In browsers this follows the page's visibility
   * automatically. A match in a worker continues as before; the relay is told only if the worker's timers
   * are throttled too.
   */
  setHidden(isHidden: boolean): void
  /**
   * Adds a listener, and returns a function that removes it. Throws `SS_BAD_ARGUMENT` for an unknown event.
   */
  on<K extends keyof MatchEvents>(type: K, listener: (event: MatchEvents<G>[K]) => void): () => void
  /** Leaves the match for good. */
  close(): void
}
