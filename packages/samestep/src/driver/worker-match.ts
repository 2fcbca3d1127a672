import { isDevelopment } from '../base/environment.ts'
import { UsageError } from '../base/errors.ts'
import { encodeAction } from '../client/conversation.ts'
import { checkInput } from '../client/input-outbox.ts'
import type { PlayState, RoomView } from '../client/play-state.ts'
import type { ClientStatistics } from '../client/statistics.ts'
import type { GameShape } from '../sim/game/context.ts'
import type { Game } from '../sim/game/define-game.ts'
import type { MirrorOptions, SimulationView } from '../sim/game/mirror.ts'
import { SimulationMirror } from '../sim/game/mirror.ts'
import type { OrderData } from '../sim/game/order.ts'
import { Emitter } from './emitter.ts'
import type { Match, MatchEvents, OrderHandle, Picture } from './match.ts'
import { makeHandle } from './order-handle.ts'
import { PendingOrders } from './pending-orders.ts'
import { PictureClock } from './picture-clock.ts'
import { reportError } from './report-error.ts'
import type { SilenceWatch } from './silence-watch.ts'
import type { Timing } from './timing.ts'
import { sameClockMs } from './timing.ts'
import { unpackFaults } from './worker-errors.ts'
import type {
  AnyEvent,
  PageMessage,
  SentPicture,
  Standing,
  WorkerMessage,
} from './worker-messages.ts'

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
  readonly #clock = new PictureClock()
  #standing = outside
  #statistics: ClientStatistics | undefined
  #room: RoomView | undefined
  #mirror: SimulationMirror<G, R> | undefined
  /** Whether the end was told; the status may say so a moment before. */
  #isOver = false

  constructor(game: Game<G, R>, hooks: WorkerMatchHooks) {
    this.#game = game
    this.#hooks = hooks
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

  get room(): RoomView | undefined {
    return this.#room
  }

  /** Where the worker is; {@link simulation} shows where the page is. */
  get cursors() {
    return this.#standing.cursors
  }

  /** As of a tenth of a second ago. */
  get statistics(): ClientStatistics {
    return this.#statistics as ClientStatistics
  }

  /** Which transport carries the match now; `undefined` while there is no link. */
  get transport(): string | undefined {
    return this.#standing.transport
  }

  /** What the newest picture shows. It changes between two calls of the page's, never within one. */
  get simulation(): SimulationView<G, R> {
    if (this.#mirror !== undefined) return this.#mirror
    throw new UsageError(
      'SS_NOT_LAUNCHED',
      "Cannot reach the simulation: the match is in its lobby; wait for the event 'launched'",
    )
  }

  order<K extends keyof G['orders'] & string>(
    name: K,
    data: OrderData<G['orders'], K>,
  ): OrderHandle {
    const bytes = this.#game.orderCodec.encode(name, data)
    this.#requireSeat('issue an order')
    return makeHandle((settle) => {
      const number = this.#orders.add(bytes.byteLength, settle)
      this.#hooks.post({ type: 'order', number, bytes })
    })
  }

  input: Match<G, R>['input'] = (changes) => {
    this.#requireSeat('set an input')
    const { fields } = this.#game.inputCodec
    for (const [name, value] of Object.entries(changes)) checkInput(fields, name, value)
    this.#hooks.post({ type: 'input', changes: { ...changes } })
  }

  act: Match<G, R>['act'] = (action) => {
    this.#requireOpen(action.type)
    if (this.status !== 'active' && this.status !== 'lobby') {
      throw new UsageError('SS_NOT_SEATED', `Cannot ${action.type}: the relay is not reached yet`)
    }
    // Made here only to be checked here.
    encodeAction(action)
    this.#hooks.post({ type: 'act', action })
  }

  /** Says how far the game is with loading, in percent: see `loadsItself`. */
  reportLoad(percent: number): void {
    this.#hooks.post({ type: 'load', percent })
  }

  /**
   * Issues an order for a seat whose bot thinks on this machine. False when it has moved, as far as
   * is known here; true says no more than that the worker was told.
   */
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

  /** Gives what to draw. Nothing is run here. */
  advance(nowMs: number): Picture<G, R> {
    const { view, previous, blend, tick } = this.simulation
    const ownMs = this.#hooks.timing.nowMs()
    // The time of the picture is steadier than the time of the call, if it is of the same clock.
    const timeMs = Math.abs(ownMs - nowMs) < sameClockMs ? nowMs : ownMs
    return { current: view, previous, blend, alpha: this.#clock.alpha(timeMs), tick }
  }

  /** Nothing, as far as the match is concerned: drawing has a thread of its own. */
  noteDraw(_costMs: number): void {}

  playState(): PlayState {
    const { playState } = this.#standing
    const forMs = this.#hooks.silence.silentMs
    if (forMs > 0 && this.status !== 'closed') return { name: 'stalled', forMs, waitingFor: [] }
    return playState.name === 'waiting' ? { name: 'waiting', room: this.#room } : playState
  }

  /**
   * Nobody looks, or somebody does again; the page's visibility is followed by itself. The match goes
   * on as before where workers do, and only where they are held back too is the relay told.
   */
  setHidden(isHidden: boolean): void {
    this.#hooks.post({ type: 'hidden', isHidden })
  }

  on: Match<G, R>['on'] = (type, listener) => this.#events.on(type, listener)

  close(): void {
    if (this.#isOver) return
    this.#hooks.post({ type: 'close' })
    this.end('left', 'You left the match')
  }

  /** The match is over without the worker's having said so: by the player's will, or it is dead. */
  end(reason: string, message: string): void {
    if (this.#isOver) return
    this.#standing = { ...this.#standing, status: 'closed', transport: undefined }
    this.#finish()
    this.#emit({ name: 'closed', value: { reason, message } })
    this.#emit({ name: 'status', value: 'closed' })
  }

  /** Takes in what the worker says. */
  handle(message: WorkerMessage): void {
    if (this.#isOver || !('standing' in message)) return
    const { standing } = message
    this.#standing = standing
    if (standing.launch === 0) this.#mirror = undefined
    switch (message.type) {
      case 'joined':
        this.#statistics = message.statistics
        this.#room = message.room
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
        this.#hooks.post({ type: 'felt' })
        return
      case 'settled':
        this.#orders.settle(message.number, message.end)
        return
      case 'event':
        this.#handleEvent(message.event)
    }
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
    if (event.name === 'room') this.#room = event.value
    if (event.name === 'closed') this.#finish()
    this.#emit(event.name === 'tick' ? { name: 'tick', value: unpackFaults(event.value) } : event)
    // The worker's last word was the one before.
    if (event.name === 'closed') this.#emit({ name: 'status', value: 'closed' })
  }

  /** Whatever was not answered never will be. */
  #finish(): void {
    this.#isOver = true
    this.#orders.loseAll()
    this.#hooks.handleOver()
  }

  /** A listener that throws keeps the worker's next word from nobody. */
  #emit({ name, value }: AnyEvent): void {
    try {
      this.#events.emit(name, value)
    } catch (error) {
      reportError(error)
    }
  }

  #requireSeat(what: string): void {
    this.#requireOpen(what)
    if (this.#mirror !== undefined && this.seat !== undefined) return
    throw new UsageError('SS_NOT_SEATED', `Cannot ${what}: this client has no seat`)
  }

  #requireOpen(what: string): void {
    if (this.status !== 'closed') return
    throw new UsageError('SS_CLOSED', `Cannot ${what}: the session is over`)
  }
}

/** Before the worker said anything. */
const outside: Standing = {
  status: 'connecting',
  seat: undefined,
  member: undefined,
  transport: undefined,
  cursors: { inputTick: 0, sealedTick: 0, simulatedTick: 0 },
  playState: { name: 'waiting', room: undefined },
  botSeats: [],
  launch: 0,
}
