/**
 * How often somebody's input came too late, lately. Twenty late ticks within ten seconds are called
 * lagging, and fewer than half of that are not any more (T-34): in between, what was stays.
 */
export class LateTicks {
  /** When each of the newest ones was, in a ring. */
  readonly #times = new Float64Array(manyTicks).fill(Number.NEGATIVE_INFINITY)
  #next = 0
  #total = 0

  /** All there were. */
  get total(): number {
    return this.#total
  }

  add(nowMs: number): void {
    this.#total += 1
    this.#times[this.#next] = nowMs
    this.#next = (this.#next + 1) % manyTicks
  }

  /** Whether there are so many that it is called lagging, given whether it was called so before. */
  isMany(nowMs: number, wasMany: boolean): boolean {
    // Most never were late, and are looked at in every tick.
    if (this.#total < manyTicks) return false
    // The sum, as in calmAtMs: a difference rounds otherwise, and would never be calm at that time.
    return nowMs < this.#newest(wasMany ? fewTicks : manyTicks) + windowMs
  }

  /** When few enough will be left, unless more come. The past when there are few already. */
  calmAtMs(): number {
    return this.#newest(fewTicks) + windowMs
  }

  /** Moves what was along with the time that is forgotten. */
  excuse(lostMs: number): void {
    for (let index = 0; index < manyTicks; index++) this.#times[index]! += lostMs
  }

  /** When the one was that is the `count`-th from the end. */
  #newest(count: number): number {
    return this.#times[(this.#next + manyTicks - count) % manyTicks] as number
  }
}

/** Late ticks that are many, and that are few again, within the window. */
const manyTicks = 20
const fewTicks = 10
const windowMs = 10_000
