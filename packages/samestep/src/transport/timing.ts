/** The clock and the timers of a machine, taken as an option so that tests own the time. */
export interface Timing {
  /** Milliseconds that never go back, from any beginning. */
  nowMs(): number
  /** Calls back once, after so long or a little later, never inside this call; gives its own undo. */
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
