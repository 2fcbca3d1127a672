/**
 * Notices when this process stood still: a garbage collection, a suspended laptop, a loaded machine.
 * Whoever was silent meanwhile may have spoken; it lies unread in a socket. So that time is nobody's
 * fault but ours (F-14), and machines that count silence are told to forget it.
 */
export class Standstill {
  /** When the machine last ran, and when it wanted to be woken again. */
  #atMs = Number.NEGATIVE_INFINITY
  #wakeAtMs = Number.POSITIVE_INFINITY

  /**
   * Call it first whenever the machine runs, for whatever reason. Gives the time that was lost: how
   * much later than promised this is, or 0 when that is not worth a word.
   */
  note(nowMs: number): number {
    const expectedMs = Math.max(this.#atMs, this.#wakeAtMs)
    const lostMs = nowMs - expectedMs
    this.#atMs = nowMs
    // Until a new promise is made, nothing is expected.
    this.#wakeAtMs = Number.POSITIVE_INFINITY
    // Before the first promise there is nothing to be late for.
    return lostMs >= standstillMs && Number.isFinite(lostMs) ? lostMs : 0
  }

  /** Call it last: when the machine wants to run again, whatever happens. */
  promise(wakeAtMs: number): void {
    this.#wakeAtMs = wakeAtMs
  }
}

/** Lateness that counts: far more than timers are late, far less than any patience here. */
const standstillMs = 100
