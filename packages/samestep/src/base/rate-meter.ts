/**
 * How much of something passes in a second, smoothed: each window of a tenth of a second or more counts
 * for a tenth of the figure (REL-06). A figure to look at, and nothing is decided by it: what holds bytes
 * back is what a transport has not sent yet, which is known at once.
 */
export class RateMeter {
  #perSecond: number | undefined
  #total = 0
  #fromMs: number | undefined

  /** 0 before the first window is over. */
  get perSecond(): number {
    return this.#perSecond ?? 0
  }

  /** So much has passed in all, up to now. */
  note(total: number, nowMs: number): void {
    if (this.#fromMs === undefined) {
      this.#fromMs = nowMs
      this.#total = total
      return
    }
    const elapsedMs = nowMs - this.#fromMs
    if (elapsedMs < windowMs) return
    const rate = ((total - this.#total) * 1_000) / elapsedMs
    this.#perSecond = this.#perSecond === undefined ? rate : (9 * this.#perSecond + rate) / 10
    this.#total = total
    this.#fromMs = nowMs
  }

  /** What is counted begins anew at nothing, as on a new link. */
  restart(): void {
    this.#perSecond = undefined
    this.#total = 0
    this.#fromMs = undefined
  }
}

const windowMs = 100
