import { BitWriter } from '../base/bit-writer.ts'
import type { Channel } from '../link/channel.ts'
import type { GameShape } from '../sim/game/context.ts'
import type { Game } from '../sim/game/define-game.ts'
import type { Simulation } from '../sim/game/simulation.ts'
import type { ClientTurn } from '../wire/client-turn.ts'
import { expand16, heldMsMax, turnSlotsMax } from '../wire/client-turn.ts'
import type { ClientActivity } from '../wire/codes.ts'
import { InputMapping } from '../wire/input-layout.ts'
import {
  datagramBytesMax,
  linkOverheadBytesMax,
  logTicksMax,
  streamPacketBytesMax,
} from '../wire/limits.ts'
import type { MessageBody } from '../wire/messages.ts'
import type { RelayControl } from '../wire/relay-bundles.ts'
import { isExactBundles, marginUnknown, readRelayBundles } from '../wire/relay-bundles.ts'
import { BotOutbox } from './bot-outbox.ts'
import { BundleInbox } from './bundle-inbox.ts'
import type { ClientEvent, Cursors } from './events.ts'
import { InputOutbox } from './input-outbox.ts'
import type { RunningOptions } from './match-simulation.ts'
import { makeSimulation } from './match-simulation.ts'
import { endOf, OrderOutbox } from './order-outbox.ts'
import { SampleWindow } from './pacing/sample-window.ts'
import { SendShift } from './pacing/send-shift.ts'
import { TickPacer } from './pacing/tick-pacer.ts'
import type { RanTick } from './tick-runner.ts'
import { TickRunner } from './tick-runner.ts'
import { writeFittingTurn } from './turn-fit.ts'
import { TurnReports } from './turn-reports.ts'

/**
 * The part of a client that has a seat: bundles come in, ticks run, turns go out. It outlives links;
 * what it needs to go on after one was lost is all in here.
 */
export class RunningMatch<G extends GameShape, R> {
  readonly seated: MessageBody<'RelaySeated'>
  readonly simulation: Simulation<G, R>
  readonly orders = new OrderOutbox()
  readonly inputs: InputOutbox
  readonly inbox = new BundleInbox(0)
  /** When ticks are run, for who draws them. */
  readonly pacer: TickPacer
  readonly bots: BotOutbox
  /** From issuing an own order to running it, in ms. */
  readonly orderWaits = new SampleWindow(orderWaitsKept)
  /** How early own inputs come at the least, as last told. */
  marginMs: number | undefined
  readonly #shift: SendShift
  readonly #runner: TickRunner<G, R>
  readonly #writer = new BitWriter(256)
  readonly #emit: (event: ClientEvent) => void
  readonly #onBundle: RunningOptions['onBundle']
  readonly #onInput: RunningOptions['onInput']
  readonly #slots: Uint32Array
  readonly #hashWords = new Uint32Array(2)
  readonly #intervalMs: number
  #controlSeen = 255
  #sentInputTick = 0
  #reportedTick = -1
  #isTurnDue = false
  /** The turn goes out at once, although the next input is still held back. */
  #isUrgent = false
  /** The input delay in force, as of the ticks that were run. */
  #delay: number
  /**
   * Ticks that wait for each other on their way here: more than one when the line is too narrow for a
   * packet each, and then it is for our own packets as well.
   */
  #ticksPerPacket = 1
  /** When the newest bundle came, and from when on the input that it calls for is sampled. */
  #arrivedAtMs: number | undefined
  #sampleAtMs = 0
  #nowMs = 0
  #isHidden = false
  #turnSentAtMs = 0
  readonly #reports = new TurnReports()

  constructor(
    game: Game<G, R>,
    seated: MessageBody<'RelaySeated'>,
    options: RunningOptions,
    emit: (event: ClientEvent) => void,
    bots = new BotOutbox(),
  ) {
    const { config } = seated
    this.seated = seated
    this.bots = bots
    this.#onBundle = options.onBundle
    this.#onInput = options.onInput
    this.simulation = makeSimulation(game, seated, options)
    const mapping = new InputMapping(game.inputCodec.fields)
    this.#runner = new TickRunner(this.simulation, mapping)
    const { delta } = this.#runner.codec
    this.inputs = new InputOutbox(game.inputCodec.fields, mapping, delta)
    this.#slots = new Uint32Array(turnSlotsMax(delta))
    this.#emit = emit
    this.#intervalMs = 1_000 / config.tickRate
    this.#delay = config.inputDelay
    this.pacer = new TickPacer(config.tickRate)
    this.#shift = new SendShift(this.#intervalMs, config.inputDelay)
  }

  /** Ticks between making an input and executing it. */
  get inputDelay(): number {
    return this.#delay
  }

  /** For how long inputs are held back, so that they are as fresh as can be and still in time. */
  get holdMs(): number {
    return this.#shift.holdMs
  }

  /** What this client is busy with. */
  get activity(): ClientActivity {
    if (this.#isHidden) return 'hidden'
    const { state } = this.pacer
    return state === 'stalled' ? 'active' : state
  }

  /** Nobody looks, or somebody does again. Nothing is held back for timers that will not come. */
  setHidden(isHidden: boolean): void {
    this.#isHidden = isHidden
    this.#shift.restart()
    this.pacer.setHidden(isHidden)
    this.#isTurnDue = true
    this.#isUrgent = true
  }

  /** Takes in how everybody fares, as the relay says. */
  noteStats({ requestedPercent, seats }: MessageBody<'RelayStats'>): void {
    this.pacer.requestedPercent = requestedPercent
    const own = seats.find(({ seat }) => seat === this.seated.seat)
    this.#ticksPerPacket = own?.ticksPerPacket ?? 1
  }

  get cursors(): Cursors {
    return {
      inputTick: this.inputs.inputTick,
      sealedTick: this.inbox.receivedTick,
      simulatedTick: this.simulation.tick,
    }
  }

  /** The round trip to the relay and back, as last measured. */
  get rttMs(): number | undefined {
    return this.#reports.rttMs
  }

  /** A new link: what was sent over the old one may be lost. */
  restart(nextOrder: number): void {
    this.orders.restart(nextOrder)
    this.#sentInputTick = 0
    this.#arrivedAtMs = undefined
    this.#controlSeen = 255
    this.#ticksPerPacket = 1
    this.#isTurnDue = true
    this.#isUrgent = true
    this.#shift.restart()
  }

  /**
   * Takes in sealed ticks. Of a late message, which newer ones overtook, only those count.
   *
   * @throws WireError when the bytes are not what a relay sends.
   */
  handleBundles(bytes: Uint8Array, isLate: boolean, nowMs: number): void {
    if (isLate && !isExactBundles(bytes)) return
    const { receivedTick } = this.inbox
    const message = readRelayBundles(bytes, receivedTick + 1, receivedTick)
    if (message.control !== undefined && !isLate) this.#takeControl(message.control, nowMs)
    this.#nowMs = nowMs
    if (this.inbox.add(message) > 0) this.#noteArrival(nowMs)
    // Every packet is answered, also a copy: it shows that our last acknowledgement was lost.
    this.#isTurnDue = true
  }

  /**
   * Runs ready ticks, at most this many, and gives how many ran.
   *
   * @throws WireError when a bundle is not one of this match. With a guard, what it has to say about a
   * tick, when that is complete and its orders are settled.
   */
  runTicks(max: number): number {
    let count = 0
    for (; count < max; count++) {
      const bytes = this.inbox.take()
      if (bytes === undefined) break
      this.#onBundle?.(this.simulation.tick + 1, bytes)
      const ran = this.#runner.run(bytes)
      // Over a narrow line the hash goes with the next answer.
      if (this.#ticksPerPacket === 1) this.#isTurnDue = true
      this.#settleOrders(ran)
      if (ran.problem !== undefined) throw ran.problem
    }
    return count
  }

  noteOrderIssued(): void {
    this.#isTurnDue = true
    this.#isUrgent = true
  }

  handleTime(nowMs: number): void {
    this.#nowMs = nowMs
    if (this.#repeatAtMs() > nowMs) return
    this.#isTurnDue = true
    this.#isUrgent = true
  }

  wakeAtMs(kind: Channel['kind']): number {
    const turnAtMs = this.#isTurnDue ? this.#sampleAtMs : Number.POSITIVE_INFINITY
    return kind === 'stream' ? turnAtMs : Math.min(turnAtMs, this.#repeatAtMs())
  }

  /** Whether ticks come. Before, a launch may still be called off, and with it every order. */
  get isRunning(): boolean {
    return this.inbox.receivedTick > 0
  }

  /** Orders wait for the first tick where there is a launch: the next one counts from 0 again. */
  get #mayOrder(): boolean {
    return this.isRunning || this.seated.config.lobby.start === 'when-full'
  }

  /** On datagrams, unanswered orders are repeated in every tick even when nothing is heard. */
  #repeatAtMs(): number {
    if (!this.orders.hasUnanswered || !this.#mayOrder) return Number.POSITIVE_INFINITY
    return this.#turnSentAtMs + this.#ticksPerPacket * this.#intervalMs
  }

  #noteArrival(nowMs: number): void {
    const { receivedTick } = this.inbox
    this.inputs.dropUpTo(receivedTick)
    this.pacer.noteArrival(receivedTick, nowMs)
    if (!this.#isHidden) this.#shift.advance(nowMs)
    this.#arrivedAtMs = nowMs
    const { arrivals } = this.pacer
    const expectedMs = arrivals.hasStarted ? arrivals.earliestMs(receivedTick) : nowMs
    const sampleAtMs = this.#hasInputs ? this.#shift.sendAtMs(nowMs, expectedMs) : nowMs
    // A bundle that comes while an input is held back does not put it off further.
    const isHeld = this.#isTurnDue && this.#sampleAtMs > nowMs
    this.#sampleAtMs = isHeld ? Math.min(this.#sampleAtMs, sampleAtMs) : sampleAtMs
  }

  get #hasInputs(): boolean {
    return this.#runner.codec.delta.slotCount > 0 && this.seated.seat !== undefined
  }

  /**
   * Sends a turn if one is due, and gives whether it was. Called when packets are drained, so that it
   * says the newest.
   */
  sendTurn(channel: Channel, nowMs: number): boolean {
    const isSampling = nowMs >= this.#sampleAtMs
    if (!this.#isTurnDue || (!isSampling && !this.#isUrgent)) return false
    // What is urgent does not take the next input along: that one is still due.
    this.#isTurnDue = !isSampling
    this.#isUrgent = false
    this.#turnSentAtMs = nowMs
    const isRepeating = channel.kind === 'datagram'
    const orders: Uint8Array[] = []
    const firstOrderNumber = this.#mayOrder ? this.orders.take(isRepeating, orders) : 0
    const { first, count } = this.#takeInputs(isRepeating, isSampling)
    const turn: ClientTurn = {
      received: this.#ackTick(),
      controlSeen: this.#controlSeen,
      report: this.#reports.take(this.activity, this.pacer.load, nowMs),
      hash: this.#takeHash(),
      firstInputTick: first,
      inputs: this.#slots,
      inputCount: count,
      heldMs: this.#heldMs(nowMs),
      firstOrderNumber,
      orders,
    }
    const delta = this.#runner.codec.delta
    const bytesMax = isRepeating ? datagramTurnBytesMax : streamPacketBytesMax
    channel.sendTick(writeFittingTurn(this.#writer, delta, turn, bytesMax), nowMs)
    return true
  }

  /** Since the newest bundle came over this link; before the first, nothing calls for an input. */
  #heldMs(nowMs: number): number {
    if (this.#arrivedAtMs === undefined) return 0
    return Math.min(Math.max(Math.round(nowMs - this.#arrivedAtMs), 0), heldMsMax)
  }

  /** Nothing is confirmed that the simulation is too far behind to hold: it bounds our memory. */
  #ackTick(): number {
    return Math.min(this.inbox.receivedTick, this.simulation.tick + logTicksMax)
  }

  #takeInputs(isRepeating: boolean, isSampling: boolean): { first: number; count: number } {
    if (!this.#hasInputs) return { first: 0, count: 0 }
    // As late as possible: what is held when the turn goes out is what it says.
    const sampledTick = this.inputs.inputTick
    if (isSampling) this.inputs.sampleUpTo(this.inbox.receivedTick + this.#delay)
    for (let tick = sampledTick + 1; this.#onInput && tick <= this.inputs.inputTick; tick++) {
      this.#onInput(tick, this.inputs.slotsAt(tick))
    }
    const taken = this.inputs.take(isRepeating, this.#sentInputTick, this.#slots)
    this.#sentInputTick = this.inputs.inputTick
    return taken
  }

  #takeHash(): { tick: number; lo: number; hi: number } | undefined {
    const { tick } = this.simulation
    // A client that is catching up confirms less than it has; its hash would lie ahead of that.
    if (tick === this.#reportedTick || tick > this.#ackTick()) return undefined
    const words = this.#hashWords
    if (!this.simulation.syncHashWordsAt(tick, words)) return undefined
    this.#reportedTick = tick
    return { tick, lo: words[0] as number, hi: words[1] as number }
  }

  #takeControl(control: RelayControl, nowMs: number): void {
    this.#controlSeen = control.version
    this.#reports.noteControl(control, nowMs)
    const near = this.orders.answeredCount
    this.orders.answer(expand16(control.orderNumber, near))
    for (const { number, reason } of control.refusals) {
      this.orders.refuse(expand16(number, near), reason)
    }
    if (control.marginMinMs !== marginUnknown) {
      this.marginMs = control.marginMinMs
      this.#shift.noteReport(control.marginMinMs, control.marginMedianMs, this.#delay, nowMs)
    }
  }

  #handleEvents(events: RanTick['events']): void {
    for (const event of events) {
      if (event.type === 'delay') {
        this.#delay = event.ticks
        this.#shift.setDelay(event.ticks)
      }
      if (event.type === 'speed') {
        this.pacer.setSpeed(event.percent, this.simulation.tick)
        this.#shift.setInterval((this.#intervalMs * 100) / event.percent)
      }
    }
  }

  #settleOrders({ report, orders, missing, events }: RanTick): void {
    const own = this.seated.seat
    if (events.length > 0) this.#handleEvents(events)
    for (const { seat, id } of orders) if (seat !== own) this.bots.noteSealed(seat, id)
    // Ticks from before our time are those of whoever sat here then, orders and all.
    if (own !== undefined && report.tick > this.seated.sealedTick) {
      orders.forEach((order, index) => {
        if (order.seat !== own) return
        const pending = this.orders.find(order.id)
        const outcome = report.outcomes[index]
        if (pending === undefined || outcome === undefined) return
        this.orderWaits.add(this.#nowMs - pending.issuedAtMs)
        this.orders.finish(pending, endOf(outcome, report.tick))
      })
      if (missing[own] === 1) {
        this.#shift.noteLate(this.#nowMs)
        this.#emit({ type: 'input-missed', tick: report.tick })
      }
    }
    if (report.outcomes.length > 0 || report.faults.length > 0) {
      // The simulation reuses its report for the next tick; an event is kept until it is polled.
      const { tick, outcomes, faults, systemHashes } = report
      this.#emit({ type: 'tick', report: { tick, outcomes, faults, systemHashes } })
    }
  }
}

/** A turn travels in one datagram. */
const datagramTurnBytesMax = datagramBytesMax - linkOverheadBytesMax

/** Orders over which their waits are counted: a minute of an eager player. */
const orderWaitsKept = 64
