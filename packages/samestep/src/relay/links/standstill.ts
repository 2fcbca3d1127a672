/**
 * Notices when this process stood still: a garbage collection, a suspended laptop, a loaded machine.
 * Whoever was silent meanwhile may have spoken; it lies unread in a socket. So that time is nobody's
 * fault but ours (F-14), and machines that count silence are told to forget it.
 */
export class Standstill {
  /** When the machine last ran. */
  #atMs = Number.NEGATIVE_INFINITY

  /**
   * Call it first whenever the machine is woken. `dueMs` is when it wanted to be: its soonest deadline
   * of now. Gives the time that was lost, or 0 when that is not worth a word.
   */
  note(nowMs: number, dueMs: number): number {
    // A deadline that had passed when it was set counts from the moment it was set.
    const lostMs = nowMs - Math.max(this.#atMs, dueMs)
    this.#atMs = nowMs
    return lostMs >= standstillMs && Number.isFinite(lostMs) ? lostMs : 0
  }
}

/** Lateness that counts: far more than timers are late, far less than any patience here. */
const standstillMs = 100
