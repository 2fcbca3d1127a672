import { assert } from '../../base/assert.ts'
import { orderFrameBits, otherIssuerBits } from '../../wire/limits.ts'
import type { BundleOrder } from '../../wire/ticks/bundle-codec.ts'
import { slotCount, slotOf } from './orders/issuer-slots.ts'

/**
 * Orders that wait for a tick with room. Usually all of them fit in the next tick, in the sequence of
 * their arrival. If they do not, seats share the tick by the size of their orders, and the rest keep
 * their places (T-38): a seat that floods delays only itself.
 *
 *     waiting   A1 A2 A3 A4 A5 B1 A6 C1     room for four
 *     taken     A1 A2       B1    C1        in the sequence of their arrival
 *     next      A3 A4 A5 A6
 *
 * Sharing is fair over time, not only within a tick: each seat has a mark that grows by the bits
 * taken from it, and the seat with the lowest mark is served first. So a large order that finds no
 * room after small ones goes first in a later tick, and the first always goes.
 *
 * In a pause, orders that may not run in one keep their places, and those behind them overtake them
 * (ORD-10). When it ends, all of them go on in their old sequence.
 */

/** An order that waits for a tick with room. */
export interface WaitingOrder extends BundleOrder {
  readonly arrivedAtMs: number
}

/** Says which orders may run in the tick that is being filled. */
export interface TickCounter {
  readonly isPaused: boolean
  /** Whether an order must wait for the end of a pause; those behind it need not. */
  isHeld(bytes: Uint8Array): boolean
  /** Counts an order. Returns false if it is one too many of its seat and kind. */
  count(seat: number, bytes: Uint8Array): boolean
}

/** The waiting orders of one match. */
export class FairQueue {
  /** In the sequence of arrival, except for the newest while {@link #isSorted} is false. */
  #line: WaitingOrder[] = []
  #isSorted = true
  #bits = 0
  readonly #seats: number
  /** By slot, like everything here: see `issuer-slots.ts`. */
  readonly #waitingBySlot: Uint16Array
  readonly #waitingMax: number
  /** Bits taken from each seat since the queue was last empty. */
  readonly #marks: Float64Array
  /** The highest mark at which an order was taken. No seat starts below it. */
  #floor = 0
  /** While a tick is filled: each seat's next order, and for each order the next one of its seat. */
  readonly #heads: Int32Array
  #behind = new Int32Array(0)
  #isTaken = new Uint8Array(0)
  /** Whether all waiting orders are known to wait for the end of the pause. */
  #isAllHeld = false

  /** At most `waitingMax` orders of one seat wait. */
  constructor(seats: number, waitingMax: number) {
    this.#waitingMax = waitingMax
    this.#seats = seats
    this.#waitingBySlot = new Uint16Array(slotCount(seats))
    this.#marks = new Float64Array(slotCount(seats))
    this.#heads = new Int32Array(slotCount(seats))
  }

  /** How many orders wait. */
  get length(): number {
    return this.#line.length
  }

  /** All of them, the oldest first. */
  get line(): readonly WaitingOrder[] {
    return this.#line
  }

  /** Whether one more order of a seat may wait. */
  hasRoomFor(seat: number): boolean {
    return this.waitingOf(seat) < this.#waitingMax
  }

  /** Orders of a seat that wait. */
  waitingOf(seat: number): number {
    return this.#waitingBySlot[slotOf(seat, this.#seats)] as number
  }

  add(order: WaitingOrder): void {
    const { seat } = order
    assert(this.hasRoomFor(seat), 'An order was added beyond the limit of waiting ones')
    const last = this.#line.at(-1)
    if (last !== undefined && last.arrivedAtMs >= order.arrivedAtMs) {
      // A clock that is set back must not reverse the sequence of a seat.
      if (last.arrivedAtMs > order.arrivedAtMs) order = { ...order, arrivedAtMs: last.arrivedAtMs }
      // Simultaneous arrivals are sorted by seat, never by which socket was read first.
      if (last.seat > seat) this.#isSorted = false
    }
    // An idle seat saves nothing up: it starts level with those that are being served.
    const slot = slotOf(seat, this.#seats)
    if (this.#waitingBySlot[slot] === 0) {
      this.#marks[slot] = Math.max(this.#marks[slot] as number, this.#floor)
    }
    this.#waitingBySlot[slot]! += 1
    this.#bits += bitsOf(order)
    this.#line.push(order)
    this.#isAllHeld = false
  }

  /** Drops the waiting orders of a seat, or of one spectator. */
  forgetSeat(seat: number): void {
    const slot = slotOf(seat, this.#seats)
    if (this.#waitingBySlot[slot] === 0) return
    const before = this.#line.length
    this.#line = this.#line.filter((order) => order.seat !== seat)
    this.#waitingBySlot[slot]! -= before - this.#line.length
    this.#bits = this.#line.reduce((sum, order) => sum + bitsOf(order), 0)
    if (this.#line.length === 0) this.#startOver()
  }

  /**
   * Takes the orders of one tick, in the sequence in which they arrived: at most `countMax`, with at
   * most `bitsMax` in all, frames included. One that may run is taken in any case, or a large one
   * would wait forever. An order that `counter` does not count holds up its seat until the next tick;
   * one that a pause holds does not.
   */
  take(bitsMax: number, countMax: number, counter?: TickCounter): readonly WaitingOrder[] {
    if (this.#line.length === 0) return nothing
    // A long pause must not cost a scan of all orders in every tick.
    if (counter?.isPaused === true && this.#isAllHeld) return nothing
    this.#isAllHeld = false
    this.#sort()
    const isEasy = this.#bits <= bitsMax && this.#line.length <= countMax
    if (isEasy && counter === undefined) return this.#takeAll()
    this.#link()
    const count = this.#choose(bitsMax, countMax, counter)
    if (count === this.#line.length) return this.#takeAll()
    return count === 0 ? nothing : this.#takeChosen()
  }

  #sort(): void {
    if (this.#isSorted) return
    this.#line.sort((a, b) => a.arrivedAtMs - b.arrivedAtMs || a.seat - b.seat)
    this.#isSorted = true
  }

  #takeAll(): readonly WaitingOrder[] {
    const taken = this.#line
    this.#line = []
    this.#bits = 0
    this.#waitingBySlot.fill(0)
    this.#startOver()
    return taken
  }

  /** The queue is empty: what was taken before is forgotten. */
  #startOver(): void {
    this.#marks.fill(0)
    this.#floor = 0
    this.#isSorted = true
  }

  /** Links the orders of each seat, first to last. */
  #link(): void {
    const { length } = this.#line
    if (this.#behind.length < length) {
      this.#behind = new Int32Array(length * 2)
      this.#isTaken = new Uint8Array(length * 2)
    }
    this.#isTaken.fill(0, 0, length)
    this.#heads.fill(none)
    for (let index = length - 1; index >= 0; index--) {
      const slot = slotOf((this.#line[index] as WaitingOrder).seat, this.#seats)
      this.#behind[index] = this.#heads[slot] as number
      this.#heads[slot] = index
    }
  }

  /** Marks the orders for this tick, least served seat first. Returns their number. */
  #choose(bitsMax: number, countMax: number, counter: TickCounter | undefined): number {
    let room = bitsMax
    let count = 0
    let held = 0
    while (count < countMax) {
      const slot = this.#neediest()
      if (slot === none) break
      const index = this.#heads[slot] as number
      const order = this.#line[index] as WaitingOrder
      if (counter?.isHeld(order.bytes) === true) {
        this.#heads[slot] = this.#behind[index] as number
        held += 1
        continue
      }
      const bits = bitsOf(order)
      const isFitting = bits <= room || count === 0
      // The seat is passed over in this tick, and keeps its mark for the next.
      if (!isFitting || counter?.count(order.seat, order.bytes) === false) {
        this.#heads[slot] = none
        continue
      }
      this.#floor = Math.max(this.#floor, this.#marks[slot] as number)
      this.#marks[slot]! += bits
      this.#heads[slot] = this.#behind[index] as number
      this.#isTaken[index] = 1
      room -= bits
      count += 1
    }
    this.#isAllHeld = count + held === this.#line.length
    return count
  }

  /** The slot with the lowest mark that has an order left for this tick; the first one on a tie. */
  #neediest(): number {
    let best = none
    let lowest = Number.POSITIVE_INFINITY
    for (let slot = 0; slot < this.#heads.length; slot++) {
      if (this.#heads[slot] === none || (this.#marks[slot] as number) >= lowest) continue
      best = slot
      lowest = this.#marks[slot] as number
    }
    return best
  }

  /** Splits the line; both parts keep their sequence. */
  #takeChosen(): readonly WaitingOrder[] {
    const line = this.#line
    const taken: WaitingOrder[] = []
    let kept = 0
    for (let index = 0; index < line.length; index++) {
      const order = line[index] as WaitingOrder
      if (this.#isTaken[index] === 0) {
        line[kept++] = order
      } else {
        taken.push(order)
        this.#waitingBySlot[slotOf(order.seat, this.#seats)]! -= 1
        this.#bits -= bitsOf(order)
      }
    }
    line.length = kept
    return taken
  }
}

/** Bits that an order takes in a bundle. */
function bitsOf({ seat, bytes }: BundleOrder): number {
  return orderFrameBits + (seat < 0 ? otherIssuerBits : 0) + bytes.byteLength * 8
}

/** No slot, or no order. */
const none = -1

const nothing: readonly WaitingOrder[] = Object.freeze([])
