/** The clock and the timers of a machine. The driver is the only layer that has them. */
export interface Timing {
  /** Milliseconds that never go back, from any beginning. */
  nowMs(): number
  /** Calls back once, after so long or a little later; gives its own undo. */
  schedule(callback: () => void, delayMs: number): () => void
}

/** The machine's own, in browsers and in Node. */
export const machineTiming: Timing = {
  nowMs: () => performance.now(),
  schedule: (callback, delayMs) => {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), timerMsMax))
    return () => clearTimeout(timer)
  },
}

/** Two readings of one clock are never further apart than that within one frame. */
export const sameClockMs = 1_000

/** Longer timers fire at once: their delay has 31 bits. */
const timerMsMax = 0x7fff_ffff

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
