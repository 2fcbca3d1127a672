import { Prng } from '../../base/prng.ts'

/** Decides how long to wait before a better door is tried: longer after each failure. */
export class MovePauses {
  readonly #prng: Prng | undefined
  #failures = 0
  #notBeforeMs = 0

  /** With a seed, each wait is randomised to between half and one and a half times its length. */
  constructor(seed: number | undefined) {
    this.#prng = seed === undefined ? undefined : new Prng(seed, 'move')
  }

  /** When a session that has just begun, or come back, may try. */
  firstAtMs(nowMs: number): number {
    return Math.max(this.#notBeforeMs, nowMs + this.#spread(firstMs))
  }

  /** A better door failed or did not last. Returns when to try again. */
  noteFailed(nowMs: number): number {
    const waitMs = Math.min(againMs * growth ** this.#failures, againMsMax)
    this.#failures += 1
    this.#notBeforeMs = nowMs + this.#spread(waitMs)
    return this.#notBeforeMs
  }

  /** The better door lasted: forgets earlier failures. */
  forget(): void {
    this.#failures = 0
  }

  #spread(ms: number): number {
    return this.#prng === undefined ? ms : ms * (0.5 + this.#prng.u32() / 2 ** 32)
  }
}

/** The first try: joining is complete by then, and a restarted relay is less busy. */
const firstMs = 500

/** Further tries: each waits three times as long as the one before, up to five minutes. */
const againMs = 5_000
const growth = 3
const againMsMax = 300_000
