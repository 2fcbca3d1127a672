import { assert } from '../../base/assert.ts'

/**
 * The newest samples of something measured, with their order statistics. It keeps them twice, by age
 * and by size, so that a percentile is one look-up and a new sample moves a few numbers: no garbage.
 */
export class SampleWindow {
  readonly #byAge: Float64Array
  readonly #bySize: Float64Array
  #count = 0
  /** Where the next sample goes, and where the oldest is once the window is full. */
  #at = 0

  /** Keeps the newest `capacity` samples. */
  constructor(capacity: number) {
    assert(capacity > 0, 'A window holds at least one sample')
    this.#byAge = new Float64Array(capacity)
    this.#bySize = new Float64Array(capacity)
  }

  get count(): number {
    return this.#count
  }

  /** The smallest sample; 0 when there is none. */
  get min(): number {
    return this.#count === 0 ? 0 : (this.#bySize[0] as number)
  }

  /** The largest sample; 0 when there is none. */
  get max(): number {
    return this.#count === 0 ? 0 : (this.#bySize[this.#count - 1] as number)
  }

  add(sample: number): void {
    const { length } = this.#byAge
    const isFull = this.#count === length
    // The new sample takes the place of the oldest one, or one more place at the end.
    const place = isFull ? this.#placeOf(this.#byAge[this.#at] as number) : this.#count++
    this.#byAge[this.#at] = sample
    this.#at = this.#at + 1 === length ? 0 : this.#at + 1
    this.#settle(place, sample)
  }

  /**
   * The smallest sample that at least this share of all samples does not exceed (nearest rank): of
   * fewer than twenty samples, 0.95 gives the largest. 0 when there is none.
   */
  percentile(share: number): number {
    if (this.#count === 0) return 0
    // Shares such as 0.95 are no binary fractions; their product must not be rounded up by that.
    const rank = Math.ceil(share * this.#count - 1e-9)
    return this.#bySize[Math.min(Math.max(rank, 1), this.#count) - 1] as number
  }

  clear(): void {
    this.#count = 0
    this.#at = 0
  }

  #placeOf(sample: number): number {
    const sorted = this.#bySize
    let low = 0
    let high = this.#count - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sorted[middle] as number) < sample) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Puts a sample where it belongs. Only what lies between there and the free place moves, by one. */
  #settle(free: number, sample: number): void {
    const sorted = this.#bySize
    const last = this.#count - 1
    let place = free
    for (; place > 0 && (sorted[place - 1] as number) > sample; place--) {
      sorted[place] = sorted[place - 1] as number
    }
    for (; place < last && (sorted[place + 1] as number) < sample; place++) {
      sorted[place] = sorted[place + 1] as number
    }
    sorted[place] = sample
  }
}
