import { Prng } from '../../base/prng.ts'

/** How long to wait before a better door is tried, longer after each time that it did not last. */
export class MovePauses {
  readonly #prng: Prng | undefined
  #failures = 0
  #notBeforeMs = 0

  /** With a seed, each wait is drawn from half to one and a half times as long. */
  constructor(seed: number | undefined) {
    this.#prng = seed === undefined ? undefined : new Prng(seed, 'move')
  }

  /** From when on a session that has just begun, or come back, may try. */
  firstAtMs(nowMs: number): number {
    return Math.max(this.#notBeforeMs, nowMs + this.#spread(firstMs))
  }

  /** It did not work, or did not last. Gives when to try again. */
  noteFailed(nowMs: number): number {
    const waitMs = Math.min(againMs * growth ** this.#failures, againMsMax)
    this.#failures += 1
    this.#notBeforeMs = nowMs + this.#spread(waitMs)
    return this.#notBeforeMs
  }

  /** It lasted. */
  forget(): void {
    this.#failures = 0
  }

  #spread(ms: number): number {
    return this.#prng === undefined ? ms : ms * (0.5 + this.#prng.u32() / 2 ** 32)
  }
}

/** The first try: what belongs to joining is through by then, and a restarted relay has some peace. */
const firstMs = 500

/** Tries after that: each three times later than the one before, up to five minutes. */
const againMs = 5_000
const growth = 3
const againMsMax = 300_000
