import { orderFrameBits } from '../../wire/limits.ts'

// The sharing of a tick among seats, written a second time as plainly as possible: every question is
// answered by going through all that waits.

/** An order that waits, as the model sees it. */
export type ModelWaiting = {
  readonly seat: number
  readonly bytes: Uint8Array
  readonly atMs: number
}

/** The naive queue. */
export class ModelQueue<T extends ModelWaiting> {
  #waiting: T[] = []
  readonly #marks = new Map<number, number>()
  #floor = 0

  get length(): number {
    return this.#waiting.length
  }

  waitingOf(seat: number): number {
    return this.#waiting.filter((order) => order.seat === seat).length
  }

  add(order: T): void {
    if (this.waitingOf(order.seat) === 0) {
      this.#marks.set(order.seat, Math.max(this.#marks.get(order.seat) ?? 0, this.#floor))
    }
    this.#waiting.push(order)
  }

  forgetSeat(seat: number): void {
    this.#keep(this.#waiting.filter((order) => order.seat !== seat))
  }

  take(bitsMax: number, countMax: number): T[] {
    const line = this.#waiting.toSorted((a, b) => a.atMs - b.atMs || a.seat - b.seat)
    const bitsOf = ({ bytes }: T): number => orderFrameBits + bytes.byteLength * 8
    const isEasy = line.reduce((sum, order) => sum + bitsOf(order), 0) <= bitsMax
    if (isEasy && line.length <= countMax) {
      this.#keep([])
      return line
    }
    const chosen = new Set<T>()
    const passedOver = new Set<number>()
    let bits = 0
    while (chosen.size < countMax) {
      const heads = line.filter((order) => !chosen.has(order) && !passedOver.has(order.seat))
      // Stable: of one seat the first, of equal marks the lowest seat.
      const next = heads.toSorted((a, b) => this.#markOf(a) - this.#markOf(b) || a.seat - b.seat)[0]
      if (next === undefined) break
      if (chosen.size > 0 && bits + bitsOf(next) > bitsMax) {
        passedOver.add(next.seat)
        continue
      }
      this.#floor = Math.max(this.#floor, this.#markOf(next))
      this.#marks.set(next.seat, this.#markOf(next) + bitsOf(next))
      chosen.add(next)
      bits += bitsOf(next)
    }
    this.#keep(line.filter((order) => !chosen.has(order)))
    return line.filter((order) => chosen.has(order))
  }

  #markOf({ seat }: T): number {
    return this.#marks.get(seat) ?? 0
  }

  #keep(orders: T[]): void {
    this.#waiting = orders
    if (orders.length > 0) return
    this.#marks.clear()
    this.#floor = 0
  }
}
