import type { Prng } from '../base/prng.ts'
import type { Burst } from './conditions.ts'

/** A burst is at most so many times its mean: without an end, a tail could swallow a short run. */
const longestBursts = 4

/**
 * When a path is in a burst of loss. The answer for a later moment stays the same when it is asked
 * again: a stream looks ahead to its retransmissions.
 *
 *     good ──────┤ bad ├──── good ────┤ bad ├──
 *             ends[0] ends[1]      ends[2]        the state changes at every end
 */
export class Bursts {
  readonly #burst: Burst
  readonly #prng: Prng
  readonly #ends: number[] = []
  /** Whether the time before `ends[0]` is in a burst. */
  #isFirstBad = false
  #lastUs: number

  constructor(burst: Burst, prng: Prng, nowUs: number) {
    this.#burst = burst
    this.#prng = prng
    this.#lastUs = nowUs
  }

  /** Whether `atUs` lies in a burst. `nowUs` never goes back and is not after `atUs`. */
  isBad(atUs: number, nowUs: number): boolean {
    const ends = this.#ends
    while (ends.length > 0 && ends[0]! <= nowUs) {
      ends.shift()
      this.#isFirstBad = !this.#isFirstBad
    }
    while (this.#lastUs <= atUs) {
      const isNextBad = this.#isFirstBad !== (ends.length % 2 === 1)
      this.#lastUs += Math.max(1, Math.round(this.#lengthMs(isNextBad) * 1000))
      // A long silence passes many bursts by: only those that end later are kept.
      if (ends.length === 0 && this.#lastUs <= nowUs) this.#isFirstBad = !isNextBad
      else ends.push(this.#lastUs)
    }
    let index = 0
    while (ends[index]! <= atUs) index++
    return this.#isFirstBad !== (index % 2 === 1)
  }

  #lengthMs(isBad: boolean): number {
    const draw = this.#prng.exponential()
    if (!isBad) return this.#burst.everyMs * draw
    return this.#burst.lengthMs * Math.min(draw, longestBursts)
  }
}
