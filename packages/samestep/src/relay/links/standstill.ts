/**
 * Detects when this process was stalled: a garbage collection, a suspended laptop, a loaded machine.
 * Clients that seem silent may have sent something that still lies unread in a socket. So that time
 * is our own fault (F-14), and code that counts silence is told to ignore it.
 */
export class Standstill {
  /** When {@link note} was last called. */
  #atMs = Number.NEGATIVE_INFINITY

  /**
   * Call it first on every wake-up. `dueMs` is when that was due: the earliest deadline as of now.
   * Returns the time that was lost, or 0 if it is negligible.
   */
  note(nowMs: number, dueMs: number): number {
    // A deadline that had passed when it was set counts from the moment it was set.
    const lostMs = nowMs - Math.max(this.#atMs, dueMs)
    this.#atMs = nowMs
    return lostMs >= standstillMs && Number.isFinite(lostMs) ? lostMs : 0
  }
}

/** Lateness that counts: far more than timers are usually late, far less than any timeout here. */
const standstillMs = 100
