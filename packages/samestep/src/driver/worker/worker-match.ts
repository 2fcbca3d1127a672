import { checkIssuer } from '../../client/membership/check-issuer.ts'
import { encodeAction } from '../../client/membership/encode-action.ts'
import type { MatchAction } from '../../client/membership/match-action.ts'
import { toRoomAction } from '../../client/membership/match-action.ts'
import { noSeat, notReached, sessionOver } from '../../client/membership/require-seat.ts'
import { checkInputs } from '../../client/outbox/input-outbox.ts'
import type { PlayState } from '../../client/status/play-state.ts'
import type { RoomView } from '../../client/status/room-view.ts'
import type { ClientStatistics } from '../../client/status/statistics.ts'
import type { MirrorOptions } from '../../sim/game/copies/mirror.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { OrderData } from '../../sim/game/orders/order.ts'
import type { SimulationView } from '../../sim/game/run/simulation-view.ts'
import type { TickTimings } from '../../sim/game/run/tick-timer.ts'
import type { MatchDebug } from '../debug/match-debug.ts'
import { IssuedOrders } from '../match/issued-orders.ts'
import type {
  IssuedOrder,
  Match,
  MatchEndReason,
  MatchEvents,
  OrderHandle,
  OrderOptions,
  Picture,
} from '../match/match.ts'
import { notLaunched, phaseOf, requireEvent, requireTime } from '../match/match-checks.ts'
import { OrderChecks } from '../match/order-checks.ts'
import { PendingOrders } from '../match/pending-orders.ts'
import { outside } from './no-standing.ts'
import { PageEvents } from './page-events.ts'
import type { PictureHooks } from './pictures/page-pictures.ts'
import { PagePictures } from './pictures/page-pictures.ts'
import type { SilenceWatch } from './silence-watch.ts'
import { WorkerDebug } from './worker-debug.ts'
import { unpackEnd } from './worker-errors.ts'
import { WorkerMeasuring } from './worker-measuring.ts'
import type { WorkerMessage } from './worker-messages.ts'

/** What a match on a page needs around it. */
export interface WorkerMatchHooks extends PictureHooks {
  readonly silence: SilenceWatch
  /** Nothing is said or heard any more. */
  handleOver(): void
}

/**
 * A match over a relay that a worker plays. The page sees what the worker's pictures show; it hangs or
 * is hidden without anybody in the match noticing.
 */
export class WorkerMatch<G extends GameShape, R> implements Match<G, R, SimulationView<G, R>> {
  readonly #game: Game<G, R>
  readonly #hooks: WorkerMatchHooks
  readonly #events: PageEvents<G, R>
  readonly #orders = new PendingOrders()
  readonly #issued: IssuedOrders<G, R>
  readonly #checks = new OrderChecks<G, R>()
  readonly #pictures: PagePictures<G, R>
  readonly #measuring: WorkerMeasuring
  readonly #debug: WorkerDebug
  #standing = outside
  #statistics: ClientStatistics | undefined
  /** Whether the end was told; the status may say so a moment before. */
  #isOver = false

  constructor(game: Game<G, R>, hooks: WorkerMatchHooks) {
    this.#game = game
    this.#hooks = hooks
    this.#pictures = new PagePictures(game, hooks)
    this.#measuring = new WorkerMeasuring((message) => hooks.post(message))
    this.#debug = new WorkerDebug((message) => hooks.post(message))
    this.#events = new PageEvents(game, (message) => hooks.post(message))
    this.#issued = new IssuedOrders(game, this.#events.emitter)
  }

  get status() {
    return this.#standing.status
  }

  get seat(): number | undefined {
    return this.#standing.seat
  }

  get member(): number | undefined {
    return this.#standing.member
  }

  get room(): RoomView<G> | undefined {
    return this.#events.room
  }

  get blame() {
    return this.#standing.blame
  }

  /** Where the worker is; {@link simulation} shows where the page is. */
  get cursors() {
    return this.#standing.cursors
  }

  /** As of a tenth of a second ago. */
  get statistics(): ClientStatistics {
    return this.#statistics as ClientStatistics
  }

  get pendingOrders(): readonly IssuedOrder<G>[] {
    return this.#issued.pending
  }

  get botSeats(): readonly number[] {
    return this.#standing.botSeats
  }

  get transport(): string | undefined {
    return this.#standing.transport
  }

  get timings(): TickTimings | undefined {
    return this.#measuring.timings
  }

  get debug(): MatchDebug {
    return this.#debug
  }

  /** What the newest picture shows. It changes between two calls of the page's, never within one. */
  get simulation(): SimulationView<G, R> {
    const { mirror } = this.#pictures
    if (mirror !== undefined) return mirror
    throw notLaunched()
  }

  order<K extends keyof G['orders'] & string>(
    name: K,
    data: OrderData<G['orders'], K>,
    { precheck = false }: OrderOptions = {},
  ): OrderHandle {
    const bytes = this.#game.orderCodec.encode(name, data)
    this.#requireLaunched('issue an order')
    checkIssuer(this.#game, bytes, this.seat)
    const refusal = precheck ? this.#refusalOf(bytes) : undefined
    const { tick } = this.simulation
    if (refusal !== undefined) return this.#issued.refuse(bytes, tick, refusal)
    return this.#issued.issue(bytes, tick, ({ settle, tell }) => {
      const number = this.#orders.add(bytes.byteLength, (end) => {
        settle(end)
        tell(end)
      })
      this.#hooks.post({ type: 'order', number, bytes })
    })
  }

  /** By what the newest picture shows: the game's `validate` runs on this page. */
  canOrder<K extends keyof G['orders'] & string>(
    name: K,
    data: OrderData<G['orders'], K>,
  ): true | string {
    return this.#refusalOf(this.#game.orderCodec.encode(name, data))?.reason ?? true
  }

  input: Match<G, R>['input'] = (changes) => {
    this.#requireSeat('set an input')
    checkInputs(this.#game.inputCodec.fields, changes)
    this.#hooks.post({ type: 'input', changes: { ...changes } })
  }

  act: Match<G, R>['act'] = (action) => {
    // Made here only to be checked here.
    encodeAction(toRoomAction(this.#game, action, this.#events.room?.options ?? {}, 0))
    this.#requireOpen(action.type)
    if (this.status !== 'active' && this.status !== 'lobby') throw notReached(action.type)
    this.#hooks.post({ type: 'act', action: action as MatchAction })
  }

  reportLoad(percent: number): void {
    this.#hooks.post({ type: 'load', percent })
  }

  orderAs<K extends keyof G['orders'] & string>(
    seat: number,
    name: K,
    data: OrderData<G['orders'], K>,
  ): boolean {
    const bytes = this.#game.orderCodec.encode(name, data)
    if (!this.#standing.botSeats.includes(seat)) return false
    this.#hooks.post({ type: 'order-as', seat, bytes })
    return true
  }

  inputAs: Match<G, R>['inputAs'] = (seat, changes) => {
    checkInputs(this.#game.inputCodec.fields, changes)
    if (!this.#standing.botSeats.includes(seat)) return false
    this.#hooks.post({ type: 'input-as', seat, changes: { ...changes } })
    return true
  }

  /** Gives what to draw. Nothing is run here. */
  advance(nowMs: number): Picture<G, R> {
    requireTime(nowMs)
    return this.#pictures.at(phaseOf(this), nowMs)
  }

  noteDraw(_costMs: number): void {}

  measureTicks(): () => void {
    return this.#measuring.begin()
  }

  playState(): PlayState<G> {
    const { playState } = this.#standing
    const forMs = this.#hooks.silence.silentMs
    if (forMs > 0 && this.status !== 'closed') return { name: 'stalled', forMs, waitingFor: [] }
    return playState.name === 'waiting' ? { name: 'waiting', room: this.#events.room } : playState
  }

  setHidden(isHidden: boolean): void {
    this.#hooks.post({ type: 'hidden', isHidden })
  }

  on: Match<G, R>['on'] = (type, listener) => {
    requireEvent(type)
    return this.#events.emitter.on(type, listener as (event: MatchEvents[typeof type]) => void)
  }

  close(): void {
    if (this.#isOver) return
    this.#hooks.post({ type: 'close' })
    this.end('left', 'You left the match')
  }

  /** The match is over without the worker's having said so: by the player's will, or it is dead. */
  end(reason: MatchEndReason, message: string): void {
    if (this.#isOver) return
    const playState = { name: 'closed', reason, message } as const
    this.#standing = { ...this.#standing, status: 'closed', transport: undefined, playState }
    this.#finish()
    this.#events.emit({ name: 'closed', value: { reason, message } })
    this.#events.emit({ name: 'status', value: 'closed' })
  }

  /** Takes in what the worker says. */
  handle(message: WorkerMessage): void {
    if (this.#isOver || !('standing' in message)) return
    const { standing } = message
    this.#standing = standing
    this.#debug.level = standing.debugLevel
    if (standing.launch === 0) this.#pictures.drop()
    switch (message.type) {
      case 'joined':
        this.#statistics = message.statistics
        if (message.room !== undefined) this.#events.noteRoom(message.room)
        return
      case 'launch':
        this.#pictures.launch(message.mirror as MirrorOptions<G>)
        this.#pictures.show(message.picture)
        return
      case 'picture':
        this.#pictures.show(message.picture)
        return
      case 'vitals':
        this.#statistics = message.statistics
        this.#measuring.note(message.timings)
        this.#hooks.post({ type: 'felt' })
        return
      case 'debug-answer':
        this.#debug.handleAnswer(message.number, message.answer)
        return
      case 'settled':
        this.#orders.settle(message.number, unpackEnd(message.end))
        return
      case 'desync-file':
        this.#events.files.handle(message)
        return
      case 'event':
        if (message.event.name === 'closed') this.#finish()
        this.#events.handle(message.event, this.#pictures.mirror)
    }
  }

  #refusalOf(bytes: Uint8Array) {
    return this.#checks.refusalOf(this, this.#pictures.mirror, bytes)
  }

  /** Whatever was not answered never will be. */
  #finish(): void {
    this.#isOver = true
    this.#orders.loseAll()
    this.#debug.end()
    this.#events.files.loseAll()
    this.#hooks.handleOver()
  }

  #requireLaunched(what: string): void {
    this.#requireOpen(what)
    if (this.#pictures.mirror === undefined) throw noSeat(what, 'lobby')
  }

  #requireSeat(what: string): void {
    this.#requireLaunched(what)
    if (this.seat === undefined) throw noSeat(what, 'match')
  }

  #requireOpen(what: string): void {
    if (this.status === 'closed') throw sessionOver(what)
  }
}
