import type { Prng } from '../../base/prng.ts'
import type { LinkBurst } from './link-conditions.ts'

/** A burst is at most so many times its mean, so that a tail cannot swallow a whole session. */
const longestBursts = 4
/** Bursts that are passed one by one; after a longer silence the past does not matter any more. */
const passedMax = 64

/** When a direction is in a burst of loss: good and bad times take turns, each of random length. */
export class LossBursts {
  readonly #burst: LinkBurst
  readonly #prng: Prng
  #isBad = false
  #untilMs: number

  constructor(burst: LinkBurst, prng: Prng, nowMs: number) {
    this.#burst = burst
    this.#prng = prng
    this.#untilMs = nowMs + this.#lengthMs()
  }

  /** Whether `nowMs`, which never goes back, lies in a burst. */
  isBad(nowMs: number): boolean {
    for (let passed = 0; this.#untilMs <= nowMs; passed++) {
      this.#isBad = !this.#isBad
      if (passed === passedMax) this.#untilMs = nowMs
      this.#untilMs += this.#lengthMs()
    }
    return this.#isBad
  }

  #lengthMs(): number {
    const draw = this.#prng.exponential()
    if (!this.#isBad) return Math.max(0.001, this.#burst.everyMs * draw)
    return Math.max(0.001, this.#burst.lengthMs * Math.min(draw, longestBursts))
  }
}
