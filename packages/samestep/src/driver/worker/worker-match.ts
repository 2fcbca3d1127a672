import { isDevelopment } from '../../base/environment.ts'
import { UsageError } from '../../base/errors.ts'
import { checkIssuer } from '../../client/membership/check-issuer.ts'
import { encodeAction } from '../../client/membership/encode-action.ts'
import type { MatchAction } from '../../client/membership/match-action.ts'
import { toRoomAction } from '../../client/membership/match-action.ts'
import { noSeat } from '../../client/membership/require-seat.ts'
import { checkInput } from '../../client/outbox/input-outbox.ts'
import type { PlayState, RoomView } from '../../client/status/play-state.ts'
import type { ClientStatistics } from '../../client/status/statistics.ts'
import type { MirrorOptions } from '../../sim/game/copies/mirror.ts'
import { SimulationMirror } from '../../sim/game/copies/mirror.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { OrderData } from '../../sim/game/orders/order.ts'
import { makeOptions } from '../../sim/game/run/simulation-options.ts'
import type { SimulationView } from '../../sim/game/run/simulation-view.ts'
import type { TickTimings } from '../../sim/game/run/tick-timer.ts'
import type { Timing } from '../../transport/timing.ts'
import type { MatchDebug } from '../debug/match-debug.ts'
import { Emitter } from '../match/emitter.ts'
import { EmptyPicture } from '../match/empty-picture.ts'
import { IssuedOrders } from '../match/issued-orders.ts'
import type {
  AnyEvent,
  IssuedOrder,
  Match,
  MatchEndReason,
  MatchEvents,
  OrderEvent,
  OrderHandle,
  OrderOptions,
  Picture,
} from '../match/match.ts'
import { notLaunched, phaseOf, requireEvent, requireTime } from '../match/match-checks.ts'
import { OrderChecks } from '../match/order-checks.ts'
import { PendingOrders } from '../match/pending-orders.ts'
import { reportError } from '../report-error.ts'
import { sameClockMs } from '../timing.ts'
import { DesyncFiles } from './desync-files.ts'
import { outside } from './no-standing.ts'
import { PictureClock } from './picture-clock.ts'
import type { SilenceWatch } from './silence-watch.ts'
import { WorkerDebug } from './worker-debug.ts'
import { unpackEnd, unpackEvent } from './worker-errors.ts'
import type { PageMessage, SentPicture, WorkerMessage } from './worker-messages.ts'

/** What a match on a page needs around it. */
export interface WorkerMatchHooks {
  readonly timing: Timing
  readonly silence: SilenceWatch
  /** Views that throw when they are written to; as the environment says when left out. */
  readonly development: boolean | undefined
  post(message: PageMessage, transfer?: readonly ArrayBuffer[]): void
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
  readonly #events = new Emitter<MatchEvents>()
  readonly #orders = new PendingOrders()
  readonly #issued: IssuedOrders<G, R>
  readonly #checks = new OrderChecks<G, R>()
  readonly #clock = new PictureClock()
  readonly #empty: EmptyPicture<G, R>
  readonly #debug: WorkerDebug
  readonly #files: DesyncFiles
  #standing = outside
  #statistics: ClientStatistics | undefined
  #timings: TickTimings | undefined
  /** How many want to know what ticks cost. */
  #measurers = 0
  #room: RoomView<G> | undefined
  #mirror: SimulationMirror<G, R> | undefined
  /** Whether the end was told; the status may say so a moment before. */
  #isOver = false

  constructor(game: Game<G, R>, hooks: WorkerMatchHooks) {
    this.#game = game
    this.#hooks = hooks
    this.#empty = new EmptyPicture(game)
    this.#debug = new WorkerDebug((message) => hooks.post(message))
    this.#files = new DesyncFiles((number) => hooks.post({ type: 'desync-file', number }))
    this.#issued = new IssuedOrders(game, (event) =>
      this.#events.emit('order', event as OrderEvent),
    )
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
    return this.#room
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
    return this.#timings
  }

  get debug(): MatchDebug {
    return this.#debug
  }

  /** What the newest picture shows. It changes between two calls of the page's, never within one. */
  get simulation(): SimulationView<G, R> {
    if (this.#mirror !== undefined) return this.#mirror
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
    const { fields } = this.#game.inputCodec
    for (const [name, value] of Object.entries(changes)) checkInput(fields, name, value)
    this.#hooks.post({ type: 'input', changes: { ...changes } })
  }

  act: Match<G, R>['act'] = (action) => {
    // Made here only to be checked here.
    encodeAction(toRoomAction(this.#game, action, this.#room?.options ?? {}, 0))
    this.#requireOpen(action.type)
    if (this.status !== 'active' && this.status !== 'lobby') {
      throw new UsageError('SS_NOT_SEATED', `Cannot ${action.type}: the relay is not reached yet`)
    }
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
    const { fields } = this.#game.inputCodec
    for (const [name, value] of Object.entries(changes)) checkInput(fields, name, value)
    if (!this.#standing.botSeats.includes(seat)) return false
    this.#hooks.post({ type: 'input-as', seat, changes: { ...changes } })
    return true
  }

  /** Gives what to draw. Nothing is run here. */
  advance(nowMs: number): Picture<G, R> {
    requireTime(nowMs)
    const phase = phaseOf(this)
    if (this.#mirror === undefined) return this.#empty.at(phase)
    const { view, previous, blend, tick } = this.#mirror
    const ownMs = this.#hooks.timing.nowMs()
    // The time of the picture is steadier than the time of the call, if it is of the same clock.
    const timeMs = Math.abs(ownMs - nowMs) < sameClockMs ? nowMs : ownMs
    return { phase, current: view, previous, blend, alpha: this.#clock.alpha(timeMs), tick }
  }

  noteDraw(_costMs: number): void {}

  measureTicks(): () => void {
    this.#measure(1)
    let isWanted = true
    return () => {
      if (isWanted) this.#measure(-1)
      isWanted = false
    }
  }

  playState(): PlayState<G> {
    const { playState } = this.#standing
    const forMs = this.#hooks.silence.silentMs
    if (forMs > 0 && this.status !== 'closed') return { name: 'stalled', forMs, waitingFor: [] }
    return playState.name === 'waiting' ? { name: 'waiting', room: this.#room } : playState
  }

  setHidden(isHidden: boolean): void {
    this.#hooks.post({ type: 'hidden', isHidden })
  }

  on: Match<G, R>['on'] = (type, listener) => {
    requireEvent(type)
    return this.#events.on(type, listener as (event: MatchEvents[typeof type]) => void)
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
    this.#emit({ name: 'closed', value: { reason, message } })
    this.#emit({ name: 'status', value: 'closed' })
  }

  /** Takes in what the worker says. */
  handle(message: WorkerMessage): void {
    if (this.#isOver || !('standing' in message)) return
    const { standing } = message
    this.#standing = standing
    this.#debug.level = standing.debugLevel
    if (standing.launch === 0) this.#mirror = undefined
    switch (message.type) {
      case 'joined':
        this.#statistics = message.statistics
        this.#room = message.room && this.#freeze(message.room)
        return
      case 'launch':
        this.#launch(message.mirror as MirrorOptions<G>)
        this.#show(message.picture)
        return
      case 'picture':
        this.#show(message.picture)
        return
      case 'vitals':
        this.#statistics = message.statistics
        if (this.#measurers > 0) this.#timings = message.timings
        this.#hooks.post({ type: 'felt' })
        return
      case 'debug-answer':
        this.#debug.handleAnswer(message.number, message.answer)
        return
      case 'settled':
        this.#orders.settle(message.number, unpackEnd(message.end))
        return
      case 'desync-file':
        this.#files.handle(message)
        return
      case 'event':
        this.#handleEvent(message.event)
    }
  }

  #refusalOf(bytes: Uint8Array) {
    return this.#checks.refusalOf(this, this.#mirror, bytes)
  }

  #launch(options: Omit<MirrorOptions<G>, 'development'>): void {
    const development = this.#hooks.development ?? isDevelopment()
    this.#mirror = new SimulationMirror(this.#game, { ...options, development })
  }

  #show({ buffer, layout, motion, sentAtMs }: SentPicture): void {
    try {
      this.#mirror?.load(new Uint8Array(buffer), layout)
    } finally {
      this.#hooks.post({ type: 'seen', buffer }, [buffer])
    }
    this.#clock.note(layout.tick, motion, sentAtMs, this.#hooks.timing.nowMs())
  }

  #handleEvent(event: AnyEvent): void {
    if (event.name === 'room') {
      this.#room = this.#freeze(event.value)
      this.#emit({ name: 'room', value: this.#room })
      return
    }
    if (event.name === 'closed') this.#finish()
    if (event.name === 'desync') {
      this.#emit({ name: 'desync', value: this.#files.makeSavable(event.value, this.#mirror) })
      return
    }
    this.#emit(unpackEvent(event))
    // The worker's last word was the one before.
    if (event.name === 'closed') this.#emit({ name: 'status', value: 'closed' })
  }

  /** What crossed from another thread is a copy that anybody could write to. */
  #freeze(room: RoomView): RoomView<G> {
    return { ...room, options: makeOptions(this.#game, room.options) }
  }

  /** Whatever was not answered never will be. */
  #finish(): void {
    this.#isOver = true
    this.#orders.loseAll()
    this.#debug.end()
    this.#files.loseAll()
    this.#hooks.handleOver()
  }

  /** A listener that throws keeps the worker's next word from nobody. */
  #emit({ name, value }: AnyEvent): void {
    try {
      // Its listeners may come after the promise that gives out the match.
      if (name === 'fallback') this.#events.emitHeld(name, value)
      else this.#events.emit(name, value)
    } catch (error) {
      reportError(error)
    }
  }

  #measure(change: number): void {
    const was = this.#measurers
    this.#measurers += change
    if (was > 0 === this.#measurers > 0) return
    this.#timings = undefined
    this.#hooks.post({ type: 'measure', isWanted: this.#measurers > 0 })
  }

  #requireLaunched(what: string): void {
    this.#requireOpen(what)
    if (this.#mirror === undefined) throw noSeat(what, 'lobby')
  }

  #requireSeat(what: string): void {
    this.#requireLaunched(what)
    if (this.seat === undefined) throw noSeat(what, 'match')
  }

  #requireOpen(what: string): void {
    if (this.status !== 'closed') return
    throw new UsageError('SS_CLOSED', `Cannot ${what}: the session is over`)
  }
}
