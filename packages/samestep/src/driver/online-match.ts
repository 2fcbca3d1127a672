import { UsageError } from '../base/errors.ts'
import type { Client } from '../client/client.ts'
import type { ClientEvent } from '../client/events.ts'
import type { PlayState, RoomView } from '../client/play-state.ts'
import type { ClientStatistics } from '../client/statistics.ts'
import type { GameShape } from '../sim/game/context.ts'
import type { OrderData } from '../sim/game/order.ts'
import type { Simulation } from '../sim/game/simulation.ts'
import type { Dial } from '../transport/connection.ts'
import { ClientDriver } from './client-driver.ts'
import { Emitter } from './emitter.ts'
import type { Match, MatchEvents, OrderHandle, Picture } from './match.ts'
import { makeHandle } from './order-handle.ts'
import { publish } from './publish.ts'
import type { Timing } from './timing.ts'
import { sameClockMs, WakeUp } from './timing.ts'

/**
 * A match over a relay. Ticks are run by {@link advance}, in step with the pictures; when nobody asks
 * for pictures, as in a hidden tab or in a program without a screen, they are run as they come.
 */
export class OnlineMatch<G extends GameShape, R> implements Match<G, R> {
  readonly #client: Client<G, R>
  readonly #driver: ClientDriver<G, R>
  readonly #timing: Timing
  readonly #events = new Emitter<MatchEvents>()
  /** Wakes for the next tick where no picture does. */
  readonly #unseen: WakeUp
  /** Told when ticks were run: for who shows the match in another thread. */
  handleRan: (() => void) | undefined
  /** When a picture was last asked for, by the machine's clock. */
  #drawnAtMs = Number.NEGATIVE_INFINITY
  /** Up to when ticks were planned, in the client's time. */
  #plannedMs = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(client: Client<G, R>, dial: Dial, timing: Timing) {
    this.#client = client
    this.#timing = timing
    this.#unseen = new WakeUp(timing, () => this.#driver.wake())
    this.#driver = new ClientDriver(client, dial, timing, {
      handleEvent: (event) => this.#handleEvent(event),
      handleProgress: (nowMs) => this.#runUnseen(nowMs),
    })
    this.#driver.wake()
  }

  get status() {
    return this.#client.status
  }

  get seat(): number | undefined {
    return this.#client.seat
  }

  get member(): number | undefined {
    return this.#client.member
  }

  get room(): RoomView | undefined {
    return this.#client.room
  }

  get cursors() {
    return this.#client.cursors
  }

  get statistics(): ClientStatistics {
    return this.#client.statistics
  }

  /** Which transport carries the match now; `undefined` while there is no link. */
  get transport(): string | undefined {
    return this.#driver.transport
  }

  get simulation(): Simulation<G, R> {
    const { simulation } = this.#client
    if (simulation !== undefined) return simulation
    throw new UsageError(
      'SS_NOT_LAUNCHED',
      "Cannot reach the simulation: the match is in its lobby; wait for the event 'launched'",
    )
  }

  order<K extends keyof G['orders'] & string>(
    name: K,
    data: OrderData<G['orders'], K>,
  ): OrderHandle {
    const handle = makeHandle((settle) => {
      this.#client.issue(name, data, settle)
    })
    // Orders leave when they are issued, not when the next packet comes.
    this.#driver.flush()
    return handle
  }

  input: Match<G, R>['input'] = (changes) => this.#client.setInput(changes)

  act: Match<G, R>['act'] = (action) => {
    this.#client.act(action)
    this.#driver.flush()
  }

  /** Says how far the game is with loading, in percent: see `loadsItself`. */
  reportLoad(percent: number): void {
    this.#client.reportLoad(percent)
    this.#driver.flush()
  }

  /** Issues an order for a seat whose bot thinks here. False when too many wait, or it has moved. */
  orderAs<K extends keyof G['orders'] & string>(
    seat: number,
    name: K,
    data: OrderData<G['orders'], K>,
  ): boolean {
    const isTaken = this.#client.issueAs(seat, name, data)
    this.#driver.flush()
    return isTaken
  }

  advance(nowMs: number): Picture<G, R> {
    const { simulation } = this
    const machineMs = this.#timing.nowMs()
    this.#drawnAtMs = machineMs
    this.#unseen.stop()
    // The time of the picture is steadier than the time of the call, if it is of the same clock. The
    // client is not told of it: packets came since, and a clock that goes back and forth runs fast.
    const sinceMs = Math.abs(machineMs - nowMs) < sameClockMs ? machineMs - nowMs : 0
    const timeMs = Math.max(this.#client.timeOf(machineMs) - sinceMs, this.#plannedMs)
    this.#run(timeMs)
    this.#driver.flush()
    const { view, previous, blend, tick } = simulation
    const alpha = this.#client.pacer?.alpha(timeMs) ?? 1
    return { current: view, previous, blend, alpha, tick }
  }

  /** Tells how long drawing took, so that a slow machine shares its time well. */
  noteDraw(costMs: number): void {
    this.#client.pacer?.load.noteDraw(costMs)
  }

  playState(): PlayState {
    return this.#client.playState(this.#timing.nowMs())
  }

  /** Nobody looks, or somebody does again. In browsers the page's visibility is followed by itself. */
  setHidden(isHidden: boolean): void {
    this.#client.setHidden(isHidden)
    this.#driver.wake()
  }

  on: Match<G, R>['on'] = (type, listener) => this.#events.on(type, listener)

  /** Tells listeners of something that the client knows nothing of. */
  announce<K extends keyof MatchEvents>(type: K, event: MatchEvents[K]): void {
    this.#events.emit(type, event)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#unseen.stop()
    this.#client.leave(this.#timing.nowMs())
    this.#driver.stop()
  }

  #handleEvent(event: ClientEvent): void {
    publish(this.#events, event, () => this.#client.status)
  }

  /** Without pictures, what comes is run when it is due: nobody falls behind because nobody looks. */
  #runUnseen(nowMs: number): void {
    const { pacer } = this.#client
    if (pacer === undefined || nowMs - this.#drawnAtMs < unseenMs) return
    const timeMs = Math.max(this.#client.timeOf(nowMs), this.#plannedMs)
    try {
      this.#run(timeMs)
    } finally {
      // At least a little later, so that others have their turn.
      const waitMs = Math.max(pacer.wakeAtMs() - timeMs, 1)
      if (this.#client.status === 'closed') this.#unseen.stop()
      else this.#unseen.set(nowMs + waitMs)
    }
  }

  /** Runs what is due, until the time for it is used up; then the next picture is more urgent. */
  #run(timeMs: number): void {
    const { pacer, simulation } = this.#client
    if (pacer === undefined || simulation === undefined) return
    this.#plannedMs = timeMs
    const due = pacer.plan(timeMs, simulation.tick, this.#client.cursors.sealedTick)
    const startedMs = this.#timing.nowMs()
    const budgetMs = pacer.deadlineMs - timeMs
    let count = 0
    let tookMs = 0
    try {
      while (count < due && (count === 0 || tookMs < budgetMs)) {
        if (this.#client.runTicks(1) === 0) break
        count += 1
        tookMs = this.#timing.nowMs() - startedMs
      }
    } finally {
      if (count > 0) pacer.noteRan(count, tookMs)
      if (due > 0) this.handleRan?.()
    }
  }
}

/** Without a picture for so long, nobody is drawing: far more than a slow frame takes. */
const unseenMs = 250
