import type { PlayState } from '../../client/status/play-state.ts'
import type { RoomView } from '../../client/status/room-view.ts'
import type { ClientStatistics } from '../../client/status/statistics.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { OrderData } from '../../sim/game/orders/order.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import type { TickTimings } from '../../sim/game/run/tick-timer.ts'
import type { MatchDebug } from '../debug/match-debug.ts'
import type { EmptyPicture } from './empty-picture.ts'
import { IssuedOrders } from './issued-orders.ts'
import type {
  IssuedOrder,
  Match,
  MatchEvents,
  OrderHandle,
  OrderOptions,
  Picture,
} from './match.ts'
import { notLaunched, phaseOf, requireEvent, requireTime } from './match-checks.ts'
import type { MatchEngine } from './match-engine.ts'
import type { MatchInside } from './match-inside.ts'
import type { MatchLine } from './match-line.ts'
import { OrderChecks } from './order-checks.ts'

/** A match whose client runs in this thread, over a relay or within this process. */
export class ClientMatch<G extends GameShape, R> implements Match<G, R, Simulation<G, R>> {
  readonly #inside: MatchInside<G, R>
  readonly #line: MatchLine
  readonly #engine: MatchEngine
  /** Created on first use: many matches have no lobby. */
  #empty: EmptyPicture<G, R> | undefined
  readonly #checks = new OrderChecks<G, R>()
  readonly #orders: IssuedOrders<G, R>
  #isClosed = false

  constructor(inside: MatchInside<G, R>, line: MatchLine, engine: MatchEngine) {
    this.#inside = inside
    this.#line = line
    this.#engine = engine
    this.#orders = new IssuedOrders(inside.client.game, inside.events)
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

  get room(): RoomView<G> | undefined {
    return this.#client.room
  }

  get blame() {
    return this.#client.blame
  }

  get cursors() {
    return this.#client.cursors
  }

  get botSeats(): readonly number[] {
    return this.#client.botSeats
  }

  get pendingOrders(): readonly IssuedOrder<G>[] {
    return this.#orders.pending
  }

  get statistics(): ClientStatistics {
    return this.#client.statistics
  }

  get transport(): string | undefined {
    return this.#line.transport
  }

  get timings(): TickTimings | undefined {
    return this.#inside.measuring.timings
  }

  get debug(): MatchDebug {
    return this.#inside.debug
  }

  get simulation(): Simulation<G, R> {
    const { simulation } = this.#client
    if (simulation !== undefined) return simulation
    throw notLaunched()
  }

  order<K extends keyof G['orders'] & string>(
    name: K,
    data: OrderData<G['orders'], K>,
    { precheck = false }: OrderOptions = {},
  ): OrderHandle {
    const bytes = this.#client.game.orderCodec.encode(name, data)
    this.#client.requireIssuer(bytes)
    const { tick } = this.simulation
    const refusal = precheck ? this.#refusalOf(bytes) : undefined
    if (refusal !== undefined) return this.#orders.refuse(bytes, tick, refusal)
    const handle = this.#orders.issue(bytes, tick, ({ settle, tell }) => {
      const pending = this.#client.issueBytes(bytes, settle)
      this.#inside.orderTellers.set(pending, tell)
    })
    this.#line.flush()
    return handle
  }

  canOrder<K extends keyof G['orders'] & string>(
    name: K,
    data: OrderData<G['orders'], K>,
  ): true | string {
    return this.#refusalOf(this.#client.game.orderCodec.encode(name, data))?.reason ?? true
  }

  orderAs<K extends keyof G['orders'] & string>(
    seat: number,
    name: K,
    data: OrderData<G['orders'], K>,
  ): boolean {
    const isTaken = this.#client.issueAs(seat, name, data)
    this.#line.flush()
    return isTaken
  }

  inputAs: Match<G, R>['inputAs'] = (seat, changes) => {
    const isHeld = this.#client.setInputAs(seat, changes)
    this.#line.flush()
    return isHeld
  }

  input: Match<G, R>['input'] = (changes) => this.#client.setInput(changes)

  act: Match<G, R>['act'] = (action) => {
    this.#client.act(action)
    this.#line.flush()
  }

  reportLoad(percent: number): void {
    this.#client.reportLoad(percent)
    this.#line.flush()
  }

  advance(nowMs: number): Picture<G, R> {
    requireTime(nowMs)
    const timeMs = this.#line.advance(nowMs)
    const phase = phaseOf(this)
    const { running } = this.#client
    if (running === undefined) {
      this.#empty ??= this.#engine.makeEmptyPicture(this.#client.game)
      return this.#empty.at(phase)
    }
    const { view, previous, blend, tick } = running.simulation
    const alpha = running.pacer.drawAlpha(timeMs)
    return { phase, current: view, previous, blend, alpha, tick }
  }

  noteDraw(costMs: number): void {
    this.#client.running?.pacer.load.noteDraw(costMs)
  }

  measureTicks(): () => void {
    return this.#inside.measuring.begin(this.#client.simulation)
  }

  playState(): PlayState<G> {
    return this.#client.playState(this.#line.nowMs())
  }

  setHidden(isHidden: boolean): void {
    this.#client.setHidden(isHidden)
    this.#line.wake()
  }

  on: Match<G, R>['on'] = (type, listener) => {
    requireEvent(type)
    return this.#inside.events.on(type, listener as (event: MatchEvents[typeof type]) => void)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#client.leave(this.#line.nowMs())
    this.#line.stop()
  }

  #refusalOf(bytes: Uint8Array) {
    return this.#checks.refusalOf(this, this.#client.simulation, bytes)
  }

  get #client() {
    return this.#inside.client
  }
}
