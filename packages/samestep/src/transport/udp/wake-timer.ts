/** Longer times make Node's timers fire at once. Whoever waits longer is woken in between. */
const timeoutMsMax = 2 ** 31 - 1

/** One timer for a machine that says when it wants to be woken. */
export class WakeTimer {
  readonly #onWake: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #atMs = Number.POSITIVE_INFINITY

  constructor(onWake: () => void) {
    this.#onWake = onWake
  }

  /**
   * Wakes at `atMs` of `performance.now()` or sooner. A timer that would fire sooner stays: being woken
   * in vain once costs less than setting a timer for every packet.
   */
  arm(atMs: number): void {
    if (atMs >= this.#atMs) return
    clearTimeout(this.#timer)
    this.#atMs = atMs
    const delayMs = Math.min(Math.max(Math.ceil(atMs - performance.now()), 0), timeoutMsMax)
    this.#timer = setTimeout(() => {
      this.#atMs = Number.POSITIVE_INFINITY
      this.#onWake()
    }, delayMs)
    // The socket keeps the process alive as long as it should live.
    this.#timer.unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#atMs = Number.POSITIVE_INFINITY
  }
}
