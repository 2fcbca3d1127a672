/**
 * A queue of numbered items by time, on typed arrays: no object, no garbage.
 *
 * The key is (time, tie, serial): `tie` is chosen by the caller, so that a seed can decide between
 * items of one instant; the serial makes items that are equal in both come first in, first out. Items
 * are small integers that the caller hands out and recycles (array indices, in practice).
 *
 *     position   0    1    2    3    4        children of p: 4p + 1 … 4p + 4
 *     times     10   12   40   11   90
 *     items      7    0    3    5    1        positions[7] = 0, so an item is found to move it
 *
 * Four children instead of two: half the levels, and the four times lie in one cache line.
 */
import { assert } from './assert.ts'

const absent = -1

/** Items by (time, tie, serial), the soonest first. */
export class EventHeap {
  /** By position. The time stands here too, so that most comparisons touch one array only. */
  #times: Float64Array
  #items: Int32Array
  /** By item. */
  #ties: Uint32Array
  #serials: Float64Array
  #positions: Int32Array
  #size = 0
  #serial = 0

  /** Room for `capacity` items to begin with; it grows by doubling. */
  constructor(capacity = 64) {
    this.#times = new Float64Array(capacity)
    this.#items = new Int32Array(capacity)
    this.#ties = new Uint32Array(capacity)
    this.#serials = new Float64Array(capacity)
    this.#positions = new Int32Array(capacity).fill(absent)
  }

  get size(): number {
    return this.#size
  }

  /** The time of the next item; `Infinity` when there is none. */
  get nextTime(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#times[0]!
  }

  /** The next item; −1 when there is none. */
  get nextItem(): number {
    return this.#size === 0 ? absent : this.#items[0]!
  }

  /** Whether `item` waits in the heap. */
  has(item: number): boolean {
    return item < this.#positions.length && this.#positions[item] !== absent
  }

  /** The time of an item that {@link has} finds. */
  timeOf(item: number): number {
    return this.#times[this.#positions[item]!]!
  }

  /** Adds an item that is not in the heap. `tie` is an integer from 0 to 2³²−1. */
  push(item: number, time: number, tie: number): void {
    if (item >= this.#positions.length) this.#grow(item + 1)
    if (this.#positions[item] !== absent) assert(false, `Item ${item} is in the heap already`)
    this.#ties[item] = tie
    this.#serials[item] = this.#serial++
    this.#siftUp(this.#size++, item, time)
  }

  /** Takes the next item out; −1 when there is none. */
  pop(): number {
    if (this.#size === 0) return absent
    const item = this.#items[0]!
    this.#takeOut(0)
    return item
  }

  /** Takes an item out before its time. False when it is not there. */
  remove(item: number): boolean {
    if (!this.has(item)) return false
    this.#takeOut(this.#positions[item]!)
    return true
  }

  /** Gives an item another key, as if it had been removed and pushed; adds it if it is not there. */
  move(item: number, time: number, tie: number): void {
    if (!this.has(item)) {
      this.push(item, time, tie)
      return
    }
    const position = this.#positions[item]!
    this.#ties[item] = tie
    this.#serials[item] = this.#serial++
    this.#place(position, item, time)
  }

  #takeOut(position: number): void {
    this.#positions[this.#items[position]!] = absent
    const last = --this.#size
    if (position < last) this.#place(position, this.#items[last]!, this.#times[last]!)
  }

  /**
   * Puts an item where a hole is, or where it belongs above or below it.
   *
   * The hole first sinks to the bottom along the soonest children, without a look at the item: the
   * item was last in the heap or became late, so it belongs near the bottom, and rising from there
   * costs less than a comparison on every level (7 % of a pop and push with 1000 items).
   */
  #place(hole: number, item: number, time: number): void {
    const times = this.#times
    const items = this.#items
    const positions = this.#positions
    const size = this.#size
    for (let first = 4 * hole + 1; first < size; first = 4 * hole + 1) {
      const end = first + 4 < size ? first + 4 : size
      let least = first
      let leastTime = times[first]!
      for (let child = first + 1; child < end; child++) {
        const childTime = times[child]!
        if (childTime > leastTime) continue
        if (childTime === leastTime && !this.#isEarlier(items[child]!, items[least]!)) continue
        least = child
        leastTime = childTime
      }
      const moved = items[least]!
      times[hole] = leastTime
      items[hole] = moved
      positions[moved] = hole
      hole = least
    }
    this.#siftUp(hole, item, time)
  }

  #siftUp(hole: number, item: number, time: number): void {
    const times = this.#times
    const items = this.#items
    const positions = this.#positions
    while (hole > 0) {
      const parent = (hole - 1) >> 2
      const parentTime = times[parent]!
      const moved = items[parent]!
      if (time > parentTime || (time === parentTime && !this.#isEarlier(item, moved))) break
      times[hole] = parentTime
      items[hole] = moved
      positions[moved] = hole
      hole = parent
    }
    times[hole] = time
    items[hole] = item
    positions[item] = hole
  }

  /** Whether one item comes before another of the same time. */
  #isEarlier(item: number, other: number): boolean {
    const tie = this.#ties[item]!
    const otherTie = this.#ties[other]!
    return tie === otherTie ? this.#serials[item]! < this.#serials[other]! : tie < otherTie
  }

  #grow(needed: number): void {
    let capacity = Math.max(64, this.#positions.length)
    while (capacity < needed) capacity *= 2
    const times = new Float64Array(capacity)
    times.set(this.#times)
    this.#times = times
    const items = new Int32Array(capacity)
    items.set(this.#items)
    this.#items = items
    const ties = new Uint32Array(capacity)
    ties.set(this.#ties)
    this.#ties = ties
    const serials = new Float64Array(capacity)
    serials.set(this.#serials)
    this.#serials = serials
    const positions = new Int32Array(capacity).fill(absent)
    positions.set(this.#positions)
    this.#positions = positions
  }
}
