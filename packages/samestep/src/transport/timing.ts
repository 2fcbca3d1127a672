/** The clock and the timers of a machine, passed as an option so that tests can control time. */
export interface Timing {
  /** Monotonic time in milliseconds, from any starting point. */
  nowMs(): number
  /**
   * Calls back once, after this time or a little later, never inside this call. Returns a function that
   * cancels it.
   */
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

/** Longer timers fire at once: their delay has 31 bits. */
const timerMsMax = 0x7fff_ffff
