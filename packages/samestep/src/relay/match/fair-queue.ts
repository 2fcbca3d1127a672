import { assert } from '../../base/assert.ts'
import type { BundleOrder } from '../../wire/bundle-codec.ts'
import { orderFrameBits } from '../../wire/limits.ts'

/**
 * Orders that wait for a tick with room. Mostly all of them fit the next tick, in the sequence in
 * which they arrived. When they do not, seats share the tick by what their orders weigh, and the rest
 * keeps its place (T-38): whoever floods waits for itself.
 *
 *     waiting   A1 A2 A3 A4 A5 B1 A6 C1     room for four
 *     taken     A1 A2       B1    C1        in the sequence of their arrival
 *     next      A3 A4 A5 A6
 *
 * The share is fair over time, not only within a tick: each seat has a mark that moves on by the bits
 * that were taken from it, and the seat with the lowest mark is served first. So a large order that
 * finds no room behind small ones goes first in a later tick, and the first always goes.
 *
 * In a pause, orders that may not run in one keep their places, and those behind them go past (ORD-10).
 * When it ends, all of them go on in their old sequence.
 */

/** An order that waits for a tick with room. */
export interface WaitingOrder extends BundleOrder {
  readonly arrivedAtMs: number
}

/** Says which orders may run in the tick that is chosen for. */
export interface TickCounter {
  readonly isPaused: boolean
  /** Whether an order has to wait for the end of a pause; those behind it do not. */
  isHeld(bytes: Uint8Array): boolean
  /** Counts an order in: false for one too many of its seat and kind. */
  count(seat: number, bytes: Uint8Array): boolean
}

/** The waiting orders of one match. */
export class FairQueue {
  /** In the sequence of arrival, except for the newest while {@link #isSorted} is false. */
  #line: WaitingOrder[] = []
  #isSorted = true
  #bits = 0
  readonly #waitingBySeat: Uint16Array
  readonly #waitingMax: number
  /** How much of each seat's was taken since the last time that nothing waited, in bits. */
  readonly #marks: Float64Array
  /** How far serving has come: the mark at which the last order was taken. Nobody starts below. */
  #floor = 0
  /** While a tick is chosen: each seat's next order, and the order of the same seat behind each. */
  readonly #heads: Int32Array
  #behind = new Int32Array(0)
  #isTaken = new Uint8Array(0)
  /** Whether all that wait were found to wait for the end of the pause. */
  #isAllHeld = false

  /** At most `waitingMax` orders of one seat wait. */
  constructor(seats: number, waitingMax: number) {
    this.#waitingMax = waitingMax
    this.#waitingBySeat = new Uint16Array(seats)
    this.#marks = new Float64Array(seats)
    this.#heads = new Int32Array(seats)
  }

  /** Orders that wait. */
  get length(): number {
    return this.#line.length
  }

  /** All of them, the oldest first. */
  get line(): readonly WaitingOrder[] {
    return this.#line
  }

  /** Whether one more order of a seat may wait. */
  hasRoomFor(seat: number): boolean {
    return (this.#waitingBySeat[seat] as number) < this.#waitingMax
  }

  /** Orders of a seat that wait. */
  waitingOf(seat: number): number {
    return this.#waitingBySeat[seat] as number
  }

  add(order: WaitingOrder): void {
    const { seat } = order
    assert(this.hasRoomFor(seat), 'An order was added beyond the limit of waiting ones')
    const last = this.#line.at(-1)
    if (last !== undefined && last.arrivedAtMs >= order.arrivedAtMs) {
      // A clock that is set back must not turn the sequence of a seat around.
      if (last.arrivedAtMs > order.arrivedAtMs) order = { ...order, arrivedAtMs: last.arrivedAtMs }
      // Arrivals of the same instant are told apart by seat, never by which socket was read first.
      if (last.seat > seat) this.#isSorted = false
    }
    // Who was away saved nothing up: he starts with those who are being served.
    if (this.#waitingBySeat[seat] === 0) {
      this.#marks[seat] = Math.max(this.#marks[seat] as number, this.#floor)
    }
    this.#waitingBySeat[seat]! += 1
    this.#bits += bitsOf(order)
    this.#line.push(order)
    this.#isAllHeld = false
  }

  /** Drops the orders of a seat that wait. */
  forgetSeat(seat: number): void {
    if (this.#waitingBySeat[seat] === 0) return
    this.#waitingBySeat[seat] = 0
    this.#line = this.#line.filter((order) => order.seat !== seat)
    this.#bits = this.#line.reduce((sum, order) => sum + bitsOf(order), 0)
    if (this.#line.length === 0) this.#startOver()
  }

  /**
   * Takes the orders of one tick, in the sequence in which they arrived: at most `countMax`, of
   * together at most `bitsMax` with their frames; but one in any case, or a large one would wait for
   * ever. Those that `counter` does not count hold up their seat until the next tick; those that a pause
   * holds do not.
   */
  take(bitsMax: number, countMax: number, counter?: TickCounter): readonly WaitingOrder[] {
    if (this.#line.length === 0) return nothing
    // A long pause must not cost a look at every order in every tick.
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
    this.#waitingBySeat.fill(0)
    this.#startOver()
    return taken
  }

  /** Nobody waits: what was taken before is forgotten. */
  #startOver(): void {
    this.#marks.fill(0)
    this.#floor = 0
    this.#isSorted = true
  }

  /** Ties the orders of each seat together, first to last. */
  #link(): void {
    const { length } = this.#line
    if (this.#behind.length < length) {
      this.#behind = new Int32Array(length * 2)
      this.#isTaken = new Uint8Array(length * 2)
    }
    this.#isTaken.fill(0, 0, length)
    this.#heads.fill(none)
    for (let index = length - 1; index >= 0; index--) {
      const { seat } = this.#line[index] as WaitingOrder
      this.#behind[index] = this.#heads[seat] as number
      this.#heads[seat] = index
    }
  }

  /** Marks what goes with this tick, seat by seat, the least served first. Gives their number. */
  #choose(bitsMax: number, countMax: number, counter: TickCounter | undefined): number {
    let room = bitsMax
    let count = 0
    let held = 0
    while (count < countMax) {
      const seat = this.#neediest()
      if (seat === none) break
      const index = this.#heads[seat] as number
      const order = this.#line[index] as WaitingOrder
      if (counter?.isHeld(order.bytes) === true) {
        this.#heads[seat] = this.#behind[index] as number
        held += 1
        continue
      }
      const bits = bitsOf(order)
      const isFitting = bits <= room || count === 0
      // Who is held up is passed over in this tick, and keeps his mark for the next.
      if (!isFitting || counter?.count(seat, order.bytes) === false) {
        this.#heads[seat] = none
        continue
      }
      this.#floor = Math.max(this.#floor, this.#marks[seat] as number)
      this.#marks[seat]! += bits
      this.#heads[seat] = this.#behind[index] as number
      this.#isTaken[index] = 1
      room -= bits
      count += 1
    }
    this.#isAllHeld = count + held === this.#line.length
    return count
  }

  /** The seat with the lowest mark that has an order left for this tick; of equals the lowest seat. */
  #neediest(): number {
    let best = none
    let lowest = Number.POSITIVE_INFINITY
    for (let seat = 0; seat < this.#heads.length; seat++) {
      if (this.#heads[seat] === none || (this.#marks[seat] as number) >= lowest) continue
      best = seat
      lowest = this.#marks[seat] as number
    }
    return best
  }

  /** Splits the line, both parts in their sequence. */
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
        this.#waitingBySeat[order.seat]! -= 1
        this.#bits -= bitsOf(order)
      }
    }
    line.length = kept
    return taken
  }
}

/** Bits that an order takes of a bundle. */
function bitsOf({ bytes }: BundleOrder): number {
  return orderFrameBits + bytes.byteLength * 8
}

/** No seat, or no order. */
const none = -1

const nothing: readonly WaitingOrder[] = Object.freeze([])
