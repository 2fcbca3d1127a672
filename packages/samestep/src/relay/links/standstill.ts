/**
 * Detects when this process was stalled: a garbage collection, a suspended laptop, a loaded machine.
 * Clients that seem silent may have sent something that still lies unread in a socket. So that time
 * is our own fault (F-14), and code that counts silence is told to ignore it.
 *
 *     call          wake-up was due                   wake-up comes
 *     ──┴───────────────────┴───────────── lost ────────────┴──────►
 *
 * A call may move the deadline into the past: an input ends the wait of a tick that has been due for
 * a while. The process was awake until then, so the time counts from that call:
 *
 *     call          tick due, waits      input comes   wake-up comes
 *     ──┴───────────────────┴─────────────────┴───── lost ──┴──────►
 */
export class Standstill {
  /** When {@link noteCall} was last called. */
  #calledAtMs = Number.NEGATIVE_INFINITY
  /** Since when a wake-up has been due as of that call, but not before the last wake-up. */
  #dueSinceMs = Number.POSITIVE_INFINITY

  /**
   * Call it first on everything that may move a deadline. `dueMs` is when the next wake-up is due: the
   * earliest deadline, as the call before left it.
   */
  noteCall(nowMs: number, dueMs: number): void {
    const before = this.#calledAtMs
    const passedMs = Math.max(dueMs, Math.min(this.#dueSinceMs, before))
    this.#dueSinceMs = dueMs > before ? dueMs : passedMs
    this.#calledAtMs = nowMs
  }

  /**
   * Call it on every wake-up, after {@link noteCall}. Returns the time that was lost since it was due,
   * or 0 if that is negligible.
   */
  noteWakeUp(nowMs: number): number {
    const lostMs = nowMs - this.#dueSinceMs
    this.#dueSinceMs = nowMs
    return lostMs >= standstillMs && Number.isFinite(lostMs) ? lostMs : 0
  }
}

/** Lateness that counts: far more than timers are usually late, far less than any timeout here. */
const standstillMs = 100
