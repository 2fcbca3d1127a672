import { BitWriter } from '../../base/bit-writer.ts'
import type { HistogramView } from '../../base/histogram.ts'
import type { Channel } from '../../link/channel.ts'
import type { ClientActivity } from '../../wire/codes.ts'
import {
  datagramBytesMax,
  inboxTicksMax,
  linkOverheadBytesMax,
  streamPacketBytesMax,
} from '../../wire/limits.ts'
import type { ClientTurn } from '../../wire/ticks/client-turn.ts'
import { heldMsMax, turnSlotsMax } from '../../wire/ticks/client-turn.ts'
import type { RelayControl } from '../../wire/ticks/relay-bundles.ts'
import { marginUnknown } from '../../wire/ticks/relay-bundles.ts'
import type { SlotDelta } from '../../wire/ticks/slot-delta.ts'
import type { TurnHash } from '../../wire/ticks/turn-hash.ts'
import { SendShift } from '../pacing/send-shift.ts'
import type { TickPacer } from '../pacing/tick-pacer.ts'
import type { BundleInbox } from '../run/bundle-inbox.ts'
import { HashReports } from './hash-reports.ts'
import type { InputOutbox } from './input-outbox.ts'
import { ringTicks } from './input-outbox.ts'
import type { OrderOutbox } from './order-outbox.ts'
import { writeFittingTurn } from './turn-fit.ts'
import { TurnReports } from './turn-reports.ts'

/** The parts of a match that turns are made from. */
export interface TurnSource {
  readonly orders: OrderOutbox
  readonly inputs: InputOutbox
  readonly inbox: BundleInbox
  readonly pacer: TickPacer
  readonly delta: SlotDelta
  readonly simulation: {
    readonly matchTick: number
    syncHashWordsAt(tick: number, out: Uint32Array): boolean
  }
  /** Whether this client has a seat, and the game has inputs. */
  readonly hasInputs: boolean
  /** Whether orders may be sent: see `RunningMatch`. */
  readonly mayOrder: boolean
  readonly activity: ClientActivity
  readonly onInput: ((tick: number, slots: Uint32Array) => void) | undefined
}

/**
 * Decides when turns are sent, and what they contain. Each bundle calls for one turn, with the input for a
 * later tick. It is held back a little, so that the input is as fresh as possible and still in time. Orders
 * are not held back.
 *
 *     bundle n arrives ── hold ──► sampled: input n + delay, hash, acknowledgement
 *            order issued ──► urgent: the order at once, the input still later
 */
export class TurnSender {
  readonly #source: TurnSource
  readonly #shift: SendShift
  readonly #reports = new TurnReports()
  readonly #writer = new BitWriter(256)
  readonly #slots: Uint32Array
  readonly #hashWords = new Uint32Array(2)
  /** The hashes to report to the relay. */
  readonly hashes = new HashReports()
  readonly #intervalMs: number
  /** The current input delay, as of the ticks that ran. */
  #delay: number
  #marginMs: number | undefined
  #controlSeen = 255
  #sentInputTick = 0
  #isTurnDue = false
  /** The turn is sent at once, although the next input is still held back. */
  #isUrgent = false
  /** When the newest bundle arrived, and when its input is sampled. */
  #arrivedAtMs: number | undefined
  #sampleAtMs = 0
  #turnSentAtMs = 0
  /**
   * How many ticks share a packet from the relay: more than one if the connection is too slow for one
   * packet per tick, and then it is too slow for our own packets as well.
   */
  #ticksPerPacket = 1

  constructor(source: TurnSource, intervalMs: number, delay: number) {
    this.#source = source
    this.#intervalMs = intervalMs
    this.#delay = delay
    this.#shift = new SendShift(intervalMs, delay)
    this.#slots = new Uint32Array(turnSlotsMax(source.delta))
    this.#noteHash()
  }

  /** Ticks between making an input and executing it. */
  get delay(): number {
    return this.#delay
  }

  /** How long inputs are held back, so that they are as fresh as possible and still in time. */
  get holdMs(): number {
    return this.#shift.holdMs
  }

  /** The smallest margin by which inputs reach the relay in time, as last reported. */
  get marginMs(): number | undefined {
    return this.#marginMs
  }

  /** The last measured round-trip time to the relay. */
  get rttMs(): number | undefined {
    return this.#reports.rttMs
  }

  /** When the round-trip time was last measured; `undefined` before the first time. */
  get measuredAtMs(): number | undefined {
    return this.#reports.measuredAtMs
  }

  /** All round-trip times so far, and how much each differed from the one before. */
  get roundTrips(): HistogramView {
    return this.#reports.roundTrips.view()
  }

  get jitter(): HistogramView {
    return this.#reports.jitter.view()
  }

  /** A new link: what was sent over the old one may be lost. */
  restart(): void {
    this.#sentInputTick = 0
    this.#arrivedAtMs = undefined
    this.#controlSeen = 255
    this.#ticksPerPacket = 1
    this.#shift.restart()
    this.hurry()
  }

  /** A turn is due at once, without waiting for the next input. */
  hurry(): void {
    this.#isTurnDue = true
    this.#isUrgent = true
  }

  /** The game was hidden or shown again. Nothing is held back while hidden: timers may fire late. */
  noteHidden(): void {
    this.#shift.restart()
    this.hurry()
  }

  /** The number of ticks that share a packet, as the relay says. */
  set ticksPerPacket(ticks: number) {
    this.#ticksPerPacket = ticks
  }

  /** The input delay changed: inputs are made for that many ticks later from now on. */
  setDelay(ticks: number): void {
    this.#delay = ticks
    this.#shift.setDelay(ticks)
  }

  /** The speed of the match changed. */
  setSpeed(percent: number): void {
    this.#shift.setTickInterval((this.#intervalMs * 100) / percent)
  }

  /** An input of this client was missing from a bundle. */
  noteMissed(nowMs: number): void {
    this.#shift.noteLate(nowMs)
  }

  /** A tick ran: its hash is sent with the next answer on a slow connection, otherwise at once. */
  noteRan(): void {
    this.#noteHash()
    if (this.#ticksPerPacket === 1) this.#isTurnDue = true
  }

  /** Every packet is answered, even a copy: it shows that our last acknowledgement was lost. */
  noteBundles(): void {
    this.#isTurnDue = true
  }

  /** New ticks arrived, up to this one. */
  noteArrival(receivedTick: number, isHidden: boolean, nowMs: number): void {
    if (!isHidden) this.#shift.advance(nowMs)
    this.#arrivedAtMs = nowMs
    const { arrivals } = this.#source.pacer
    const expectedMs = arrivals.hasStarted ? arrivals.earliestMs(receivedTick) : nowMs
    const { hasInputs } = this.#source
    const sampleAtMs = hasInputs ? this.#shift.sendAtMs(nowMs, expectedMs) : nowMs
    // A bundle that arrives while an input is held back does not delay it further.
    const isHeld = this.#isTurnDue && this.#sampleAtMs > nowMs
    this.#sampleAtMs = isHeld ? Math.min(this.#sampleAtMs, sampleAtMs) : sampleAtMs
  }

  /** Handles the relay's feedback on our turns. */
  noteControl(control: RelayControl, nowMs: number): void {
    this.#controlSeen = control.version
    this.#reports.noteControl(control, nowMs)
    if (control.marginMinMs === marginUnknown) return
    this.#marginMs = control.marginMinMs
    this.#shift.noteReport(control.marginMinMs, control.marginMedianMs, this.#delay, nowMs)
  }

  handleTime(nowMs: number): void {
    if (this.#repeatAtMs() <= nowMs) this.hurry()
  }

  wakeAtMs(kind: Channel['kind']): number {
    const turnAtMs = this.#isTurnDue ? this.#sampleAtMs : Number.POSITIVE_INFINITY
    return kind === 'stream' ? turnAtMs : Math.min(turnAtMs, this.#repeatAtMs())
  }

  /**
   * Sends a turn if one is due, and returns whether it was. Called when packets are drained, so that the
   * turn contains the newest values.
   */
  send(channel: Channel, nowMs: number): boolean {
    const isSampling = nowMs >= this.#sampleAtMs
    if (!this.#isTurnDue || (!isSampling && !this.#isUrgent)) return false
    // An urgent turn does not include the next input, which is still due.
    this.#isTurnDue = !isSampling
    this.#isUrgent = false
    this.#turnSentAtMs = nowMs
    const { orders: outbox, pacer, activity, delta, mayOrder } = this.#source
    const isRepeating = channel.kind === 'datagram'
    const orders: Uint8Array[] = []
    const firstOrderNumber = mayOrder ? outbox.take(isRepeating, orders) : 0
    const { first, count } = this.#takeInputs(isRepeating, isSampling)
    const turn: ClientTurn = {
      received: this.#ackTick(),
      controlSeen: this.#controlSeen,
      report: this.#reports.take(activity, pacer.load, nowMs),
      hash: this.#takeHash(),
      firstInputTick: first,
      inputs: this.#slots,
      inputCount: count,
      heldMs: this.#heldMs(nowMs),
      firstOrderNumber,
      orders,
    }
    const bytesMax = isRepeating ? datagramTurnBytesMax : streamPacketBytesMax
    channel.sendTick(writeFittingTurn(this.#writer, delta, turn, bytesMax), nowMs)
    return true
  }

  /** On datagrams, unanswered orders are repeated in every tick even if nothing is received. */
  #repeatAtMs(): number {
    const { orders, mayOrder } = this.#source
    if (!orders.hasUnanswered || !mayOrder) return Number.POSITIVE_INFINITY
    return this.#turnSentAtMs + this.#ticksPerPacket * this.#intervalMs
  }

  /** The time since the newest bundle on this link; before the first, no input is due. */
  #heldMs(nowMs: number): number {
    if (this.#arrivedAtMs === undefined) return 0
    return Math.min(Math.max(Math.round(nowMs - this.#arrivedAtMs), 0), heldMsMax)
  }

  /** Ticks too far ahead of the simulation are not acknowledged. This bounds our memory. */
  #ackTick(): number {
    const { inbox, simulation } = this.#source
    return Math.min(inbox.receivedTick, simulation.matchTick + inboxTicksMax)
  }

  #takeInputs(isRepeating: boolean, isSampling: boolean): { first: number; count: number } {
    const { inputs, inbox, hasInputs, onInput } = this.#source
    if (!hasInputs) return { first: 0, count: 0 }
    // Sampled as late as possible, so that the turn contains what is held when it is sent.
    const sampledTick = inputs.inputTick
    if (isSampling) inputs.sampleUpTo(inbox.receivedTick + this.#delay)
    // After a jump, ticks that are not kept were never sampled.
    const toldTick = Math.max(sampledTick, inputs.inputTick - ringTicks)
    for (let tick = toldTick + 1; onInput && tick <= inputs.inputTick; tick++) {
      onInput(tick, inputs.slotsAt(tick))
    }
    const taken = inputs.take(isRepeating, this.#sentInputTick, this.#slots)
    this.#sentInputTick = inputs.inputTick
    return taken
  }

  /** Before the first tick, a launch may be cancelled: the state is not final yet. */
  #takeHash(): TurnHash | undefined {
    return this.#source.inbox.receivedTick === 0 ? undefined : this.hashes.take(this.#ackTick())
  }

  #noteHash(): void {
    const { simulation } = this.#source
    if (simulation.syncHashWordsAt(simulation.matchTick, this.#hashWords)) {
      this.hashes.note(simulation.matchTick, this.#hashWords)
    }
  }
}

/** A turn travels in one datagram. */
const datagramTurnBytesMax = datagramBytesMax - linkOverheadBytesMax
