import { ticksIn } from '../../wire/limits.ts'

/**
 * How often somebody's input came too late, lately. Late ticks of two thirds of a second within ten
 * seconds are called lagging, and fewer than half of that are not any more (T-34): in between, what was
 * stays. At 30 ticks per second these are twenty.
 */
export class LateTicks {
  /** When each of the newest ones was, in a ring. */
  readonly #times: Float64Array
  readonly #fewTicks: number
  #next = 0
  #total = 0

  constructor(tickRate: number) {
    const manyTicks = ticksIn(manyMs, tickRate)
    this.#times = new Float64Array(manyTicks).fill(Number.NEGATIVE_INFINITY)
    this.#fewTicks = Math.ceil(manyTicks / 2)
  }

  /** All there were. */
  get total(): number {
    return this.#total
  }

  add(nowMs: number): void {
    this.#total += 1
    this.#times[this.#next] = nowMs
    this.#next = (this.#next + 1) % this.#times.length
  }

  /** Whether there are so many that it is called lagging, given whether it was called so before. */
  isMany(nowMs: number, wasMany: boolean): boolean {
    // Most never were late, and are looked at in every tick.
    if (this.#total < this.#times.length) return false
    // The sum, as in calmAtMs: a difference rounds otherwise, and would never be calm at that time.
    return nowMs < this.#newest(wasMany ? this.#fewTicks : this.#times.length) + windowMs
  }

  /** When few enough will be left, unless more come. The past when there are few already. */
  calmAtMs(): number {
    return this.#newest(this.#fewTicks) + windowMs
  }

  /** Moves what was along with the time that is forgotten. */
  excuse(lostMs: number): void {
    for (let index = 0; index < this.#times.length; index++) this.#times[index]! += lostMs
  }

  /** When the one was that is the `count`-th from the end. */
  #newest(count: number): number {
    const { length } = this.#times
    return this.#times[(this.#next + length - count) % length] as number
  }
}

/** How much of the window was late when that is called many. */
const manyMs = 666
const windowMs = 10_000
