import type { Timing } from '../transport/timing.ts'

/** Two readings of one clock are never further apart than that within one frame. */
export const sameClockMs = 1_000

/** One wake-up at a time, moved as often as its owner changes its mind. */
export class WakeUp {
  readonly #timing: Timing
  readonly #callback: () => void
  #atMs = Number.POSITIVE_INFINITY
  #cancel: (() => void) | undefined

  constructor(timing: Timing, callback: () => void) {
    this.#timing = timing
    this.#callback = callback
  }

  /** When it wakes; `Infinity` for never. */
  get atMs(): number {
    return this.#atMs
  }

  /** Wakes at this time; `Infinity` for never. */
  set(atMs: number): void {
    if (atMs === this.#atMs) return
    this.stop()
    if (atMs === Number.POSITIVE_INFINITY) return
    this.#atMs = atMs
    this.#cancel = this.#timing.schedule(
      () => {
        this.#atMs = Number.POSITIVE_INFINITY
        this.#callback()
      },
      Math.ceil(atMs - this.#timing.nowMs()),
    )
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#atMs = Number.POSITIVE_INFINITY
  }
}
