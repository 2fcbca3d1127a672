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
    if (this.#count === length) this.#takeOut(this.#byAge[this.#at] as number)
    this.#byAge[this.#at] = sample
    this.#at = (this.#at + 1) % length
    let place = this.#count
    const sorted = this.#bySize
    while (place > 0 && (sorted[place - 1] as number) > sample) {
      sorted[place] = sorted[place - 1] as number
      place -= 1
    }
    sorted[place] = sample
    this.#count += 1
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

  #takeOut(sample: number): void {
    const sorted = this.#bySize
    let low = 0
    let high = this.#count - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sorted[middle] as number) < sample) low = middle + 1
      else high = middle
    }
    this.#count -= 1
    for (let place = low; place < this.#count; place++) sorted[place] = sorted[place + 1] as number
  }
}
