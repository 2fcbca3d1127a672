import { assert } from '../../../base/assert.ts'
import { BitWriter } from '../../../base/bit-writer.ts'
import type { SystemEvent } from '../../../sim/game/run/bundle.ts'
import {
  bundleBytesMax,
  bundleEventsMax,
  bundleFrameBitsMax,
  bundleOrdersMax,
  datagramBundleBytesMax,
  eventBitsMax,
  inputAheadTicksMax,
  waitingOrdersMax,
} from '../../../wire/limits.ts'
import type { MatchConfig } from '../../../wire/messages/match-config.ts'
import { BundleCodec } from '../../../wire/ticks/bundle-codec.ts'
import type { InputLayout } from '../../../wire/ticks/input-layout.ts'
import { slotDeltaBitsMax } from '../../../wire/ticks/slot-delta.ts'
import { SlotValues } from '../../../wire/ticks/slot-values.ts'
import { firstRingTicks } from '../../pace/input-margins.ts'
import type { MatchNotes } from '../../record/match-notes.ts'
import type { WaitingOrder } from '../fair-queue.ts'
import { FairQueue } from '../fair-queue.ts'
import { BotHolds } from '../orders/bot-holds.ts'
import type { TickCaps } from '../orders/order-table.ts'

/**
 * Decides each tick, once. Orders run at the next open tick, in the sequence in which they arrived;
 * those that may not run in a pause, at the first tick after it. Inputs run at the tick for which
 * they are stamped. An input that is missing when its tick is sealed is decided here by the match's
 * policy, written into the bundle, and binds everyone, its owner too (ORD-13).
 *
 *     arrivals    o1 i7 o2        i8      i9  (i8 again: dropped)
 *     seals    6 │        7: o1 o2, i7 │ 8: i8 │ 9: i9
 */

/** What became of an input that arrived. */
export type InputVerdict = 'kept' | 'known' | 'late' | 'too-early' | 'wrong'

/** Shared by all matches, so that it stays in the cache: calls do not overlap. */
const writer = new BitWriter(256)

/** Seals the ticks of one match: holds what has arrived and waits for its tick. */
export class Sealer {
  readonly codec: BundleCodec
  readonly #values: SlotValues
  readonly #policy: MatchConfig['missing']
  /** Sealed slots of all seats in the tick before, and in the tick being sealed. */
  #previous: Uint32Array
  #current: Uint32Array
  readonly #missing: Uint8Array
  /** Waiting inputs by tick modulo the ring, then by seat: each place has its tick, then the slots. */
  #inputs: Uint32Array
  /** Room in ticks; it grows up to the limit when that is needed. */
  #ring = firstRingTicks
  readonly #placeSize: number
  /** From which tick on a seat's input is expected; `Infinity` for a seat without a player. */
  readonly #expectedFrom: Float64Array
  readonly #bots: BotHolds
  readonly #waiting: FairQueue
  readonly #caps: TickCaps | undefined
  #sealedOrders: readonly WaitingOrder[] = noOrders
  #events: SystemEvent[] = []
  #eventsRevision = 0
  #sealedTick = 0
  #isPaused = false
  readonly #notes: MatchNotes | undefined

  /** `waitingMax` orders of one seat may wait for a tick with room; `caps` limit kinds per tick. */
  constructor(
    config: MatchConfig,
    waitingMax: number = waitingOrdersMax,
    caps?: TickCaps,
    notes?: MatchNotes,
  ) {
    const { seats } = config
    this.#notes = notes
    this.#waiting = new FairQueue(seats, waitingMax)
    this.#caps = caps
    this.codec = new BundleCodec(seats, config.inputSlots)
    this.#values = new SlotValues(config.inputSlots)
    this.#policy = config.missing
    const { slotTotal, delta } = this.codec
    this.#bots = new BotHolds(seats, delta)
    this.#previous = new Uint32Array(slotTotal)
    this.#current = new Uint32Array(slotTotal)
    for (let seat = 0; seat < seats; seat++)
      delta.writeInitial(this.#previous, seat * delta.slotCount)
    this.#missing = new Uint8Array(seats)
    this.#placeSize = 1 + delta.slotCount
    this.#inputs = new Uint32Array(this.#placeSize * seats * this.#ring)
    this.#expectedFrom = new Float64Array(seats).fill(Number.POSITIVE_INFINITY)
  }

  get sealedTick(): number {
    return this.#sealedTick
  }

  /** Whether the newest sealed tick is paused: by sealed events, not by what was asked for. */
  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Orders that wait for a tick with room. */
  get waitingOrders(): number {
    return this.#waiting.length
  }

  /** Those orders, in the sequence in which they arrived. */
  get waitingLine(): readonly WaitingOrder[] {
    return this.#waiting.line
  }

  /** Events that wait for the next tick, and a number that changes with them, except by sealing. */
  get waitingEvents(): readonly SystemEvent[] {
    return this.#events
  }

  get eventsRevision(): number {
    return this.#eventsRevision
  }

  /** The inputs of all seats in the newest sealed tick, seat by seat. Borrowed. */
  get inputs(): Uint32Array {
    return this.#previous
  }

  /** Continues after a tick that another relay sealed. */
  restore(sealedTick: number, inputs: Uint32Array, isPaused: boolean): void {
    this.#sealedTick = sealedTick
    this.#isPaused = isPaused
    this.#previous.set(inputs)
  }

  /** The orders of the newest sealed tick, for statistics. */
  get sealedOrders(): readonly WaitingOrder[] {
    return this.#sealedOrders
  }

  /** Expects inputs of a seat from `fromTick` on; until then the seat holds its initial input. */
  expectInputs(seat: number, fromTick: number): void {
    this.#expectedFrom[seat] = fromTick
  }

  /** Drops the inputs of a seat. Without a player it holds its initial input. */
  forgetInputs(seat: number): void {
    this.#expectedFrom[seat] = Number.POSITIVE_INFINITY
    for (let tick = 0; tick < this.#ring; tick++) this.#inputs[this.#placeOf(seat, tick)] = 0
  }

  /** Whether one more order of a seat may wait. */
  hasRoomFor(seat: number): boolean {
    return this.#waiting.hasRoomFor(seat)
  }

  /** Waiting orders of a seat. */
  waitingOf(seat: number): number {
    return this.#waiting.waitingOf(seat)
  }

  addOrder(order: WaitingOrder): void {
    this.#waiting.add(order)
  }

  /** Drops the waiting orders of a seat. */
  forgetOrders(seat: number): void {
    if (this.#waiting.waitingOf(seat) > 0) this.#notes?.droppedSeats.push(seat)
    this.#waiting.forgetSeat(seat)
  }

  /**
   * Seals an event with the next tick. A player who leaves before the join is sealed was never there.
   */
  addEvent(event: SystemEvent): void {
    this.#eventsRevision += 1
    if (event.type === 'leave' || event.type === 'join') this.#bots.release(event.seat)
    if (event.type === 'leave') {
      const joined = this.#events.findLastIndex(
        (other) => other.type === 'join' && other.seat === event.seat,
      )
      if (joined >= 0) {
        this.#events.splice(joined, 1)
        this.forgetOrders(event.seat)
        return
      }
    }
    this.#events.push(event)
  }

  /**
   * Keeps an input for its tick. The first one for a tick counts; copies of it change nothing. An
   * input with a value that its field cannot have is `wrong` and is not kept: it would bind everyone.
   */
  addInput(seat: number, tick: number, slots: Uint32Array, at: number): InputVerdict {
    if (tick <= this.#sealedTick) return 'late'
    if (tick > this.#sealedTick + inputAheadTicksMax) return 'too-early'
    while (tick - this.#sealedTick > this.#ring) this.#grow()
    const place = this.#placeOf(seat, tick)
    const inputs = this.#inputs
    if (inputs[place] === tick) return 'known'
    if (this.#values.wrongMask(slots, at) !== 0) return 'wrong'
    inputs[place] = tick
    for (let index = 1; index < this.#placeSize; index++) {
      inputs[place + index] = slots[at + index - 1] as number
    }
    return 'kept'
  }

  /**
   * Seals what a bot holds with every tick from the next one on. Returns false if it is not a valid
   * input of the game.
   */
  holdInput(seat: number, slots: ArrayLike<number>): boolean {
    if (slots.length !== this.codec.delta.slotCount) return false
    const held = Uint32Array.from(slots)
    if (this.#values.wrongMask(held, 0) !== 0) return false
    this.#bots.hold(seat, held)
    return true
  }

  /** A bot keeps holding what it held in the newest sealed tick; one-shots of that tick are over. */
  holdOn(seat: number): void {
    const { delta } = this.codec
    const held = new Uint32Array(delta.slotCount)
    delta.writeHeld(this.#previous, seat * delta.slotCount, held, 0)
    this.#bots.hold(seat, held)
  }

  /** Whether every expected input of the next tick has arrived. */
  get isComplete(): boolean {
    const tick = this.#sealedTick + 1
    for (let seat = 0; seat < this.#expectedFrom.length; seat++) {
      if ((this.#expectedFrom[seat] as number) > tick) continue
      if (this.#inputs[this.#placeOf(seat, tick)] !== tick) return false
    }
    return true
  }

  /** Seats whose expected input for the next tick has not arrived. */
  missingSeats(): number[] {
    const tick = this.#sealedTick + 1
    const seats: number[] = []
    for (let seat = 0; seat < this.#expectedFrom.length; seat++) {
      if ((this.#expectedFrom[seat] as number) > tick) continue
      if (this.#inputs[this.#placeOf(seat, tick)] !== tick) seats.push(seat)
    }
    return seats
  }

  /** Seals the next tick and returns its bytes, which are final. */
  seal(): Uint8Array {
    const tick = this.#sealedTick + 1
    this.#decideInputs(tick)
    const events = this.#takeEvents()
    const orders = this.#takeOrders(events.length)
    this.#sealedOrders = orders
    writer.reset()
    const content = { orders, events }
    this.codec.encode(writer, content, this.#previous, this.#current, this.#missing)
    const sealed = writer.finish()
    assert(sealed.byteLength <= bundleBytesMax, 'A bundle is larger than a datagram can carry')
    const spare = this.#previous
    this.#previous = this.#current
    this.#current = spare
    this.#sealedTick = tick
    return sealed
  }

  /** Inputs of one tick are adjacent: with many matches, each distant place costs a cache miss. */
  #placeOf(seat: number, tick: number): number {
    return ((tick % this.#ring) * this.#missing.length + seat) * this.#placeSize
  }

  /** Doubles the room. Each input moves to the new place of its tick. */
  #grow(): void {
    const before = this.#inputs
    const size = this.#placeSize
    this.#ring *= 2
    this.#inputs = new Uint32Array(2 * before.length)
    for (let from = 0; from < before.length; from += size) {
      const to = this.#placeOf((from / size) % this.#missing.length, before[from] as number)
      // If two ticks meet in a place, the older one is sealed already.
      if ((this.#inputs[to] as number) > (before[from] as number)) continue
      for (let index = 0; index < size; index++) this.#inputs[to + index] = before[from + index]!
    }
  }

  #decideInputs(tick: number): void {
    const { delta } = this.codec
    const { slotCount } = delta
    if (slotCount === 0) return
    for (let seat = 0; seat < this.#missing.length; seat++) {
      const at = seat * slotCount
      const place = this.#placeOf(seat, tick)
      const isHere = this.#inputs[place] === tick
      const isExpected = (this.#expectedFrom[seat] as number) <= tick
      this.#missing[seat] = isExpected && !isHere ? 1 : 0
      if (isHere) {
        for (let index = 0; index < slotCount; index++) {
          this.#current[at + index] = this.#inputs[place + 1 + index] as number
        }
      } else if (isExpected && this.#policy.kind !== 'idle') {
        delta.writeHeld(this.#previous, at, this.#current, at)
      } else if (!this.#bots.write(seat, this.#current, at)) {
        delta.writeInitial(this.#current, at)
      }
    }
  }

  /** Events take effect before the orders of their tick, so a pause or a resume applies to these. */
  #takeEvents(): readonly SystemEvent[] {
    if (this.#events.length === 0) return noEvents
    const events = this.#events.splice(0, bundleEventsMax)
    for (const { type } of events) {
      if (type === 'pause' || type === 'resume') this.#isPaused = type === 'pause'
    }
    return events
  }

  /** As many as fit in one datagram, fairly shared; the rest keep their places for the next tick. */
  #takeOrders(eventCount: number): readonly WaitingOrder[] {
    if (this.#waiting.length === 0) return noOrders
    const room = datagramBundleBytesMax * 8 - this.#inputBits() - eventBitsMax * eventCount
    this.#caps?.startTick(this.#isPaused)
    return this.#waiting.take(room, bundleOrdersMax, this.#caps)
  }

  /**
   * The most bits that the inputs of this tick can take. Only seats that changed count: room for all
   * of them would leave a large match with one order per tick.
   */
  #inputBits(): number {
    const { delta, seatCount } = this.codec
    let changed = 0
    for (let at = 0; at < this.#current.length; at += delta.slotCount) {
      if (delta.changedMask(this.#previous, at, this.#current, at) !== 0) changed += 1
    }
    return bundleFrameBitsMax + 2 * seatCount + changed * slotDeltaBitsMax(delta.layout)
  }
}

const noEvents: readonly SystemEvent[] = Object.freeze([])
const noOrders: readonly WaitingOrder[] = Object.freeze([])

/** The most bits that the inputs of all seats can take in one tick. */
export function inputBitsMax(seats: number, layout: InputLayout): number {
  // Besides the delta, one bit each for whether it changed and whether it was missing.
  return seats * (2 + slotDeltaBitsMax(layout))
}
