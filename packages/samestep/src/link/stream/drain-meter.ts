/** How often the speed is measured anew: some packets of any stream. */
const measureMs = 500

/**
 * How long what a transport holds back will take. A stream that is too narrow shows no loss and no
 * round trip; what it shows are bytes that the transport has taken and not passed on.
 */
export class DrainMeter {
  #atMs = Number.NaN
  #passedBytes = 0
  /** Bytes per ms that were passed on lately. */
  #rate = 0
  #queueMs = 0

  /** `backlogBytes` of the `sentBytes` that the transport was ever given are still there. */
  queueMs(backlogBytes: number, sentBytes: number, nowMs: number): number {
    const passedBytes = sentBytes - backlogBytes
    const elapsedMs = nowMs - this.#atMs
    if (!(elapsedMs < measureMs)) {
      // Before the first measurement, and after a long time without one, nothing is known.
      this.#rate = elapsedMs > 0 ? Math.max(passedBytes - this.#passedBytes, 0) / elapsedMs : 0
      this.#atMs = nowMs
      this.#passedBytes = passedBytes
    }
    if (backlogBytes <= 0) this.#queueMs = 0
    // A stream that passes nothing on at all is not slow but stuck; it stays as it was seen last.
    else if (this.#rate > 0) this.#queueMs = backlogBytes / this.#rate
    return this.#queueMs
  }
}
