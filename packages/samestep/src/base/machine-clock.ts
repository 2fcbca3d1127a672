/**
 * Time as a machine experiences it. A driver passes in whatever its clock says; clocks are set back,
 * jump ahead after a laptop slept, or stand still. A machine must neither run backwards nor believe
 * that its peers were silent for an hour in which it slept itself.
 *
 *     driver's clock   100   110   120   3 600 120   3 600 130   90   100
 *     machine's time     0    10    20       1 020       1 030  1 030  1 040
 */
export class MachineClock {
  /** Machine time minus the driver's time. */
  #offsetMs = 0
  #timeMs = 0
  #isStarted = false

  /** Machine time for what the driver's clock says now. Never less than before. */
  advance(nowMs: number): number {
    if (!this.#isStarted) {
      this.#isStarted = true
      this.#offsetMs = -nowMs
    }
    const elapsed = nowMs + this.#offsetMs - this.#timeMs
    if (elapsed >= 0 && elapsed <= stepMsMax) {
      this.#timeMs += elapsed
    } else {
      // A step back counts as no time at all, a leap as the longest step.
      if (elapsed > 0) this.#timeMs += stepMsMax
      this.#offsetMs = this.#timeMs - nowMs
    }
    return this.#timeMs
  }

  /** What {@link advance} would give, without letting time pass. */
  at(nowMs: number): number {
    if (!this.#isStarted) return this.#timeMs
    const elapsed = nowMs + this.#offsetMs - this.#timeMs
    return this.#timeMs + Math.min(Math.max(elapsed, 0), stepMsMax)
  }

  /** Machine time as it was last advanced. */
  get timeMs(): number {
    return this.#timeMs
  }

  /**
   * What the driver's clock said when it was last advanced. For what only gets better with time, such
   * as budgets of strangers: time in which nothing happened counts there.
   */
  get driverMs(): number {
    return this.#timeMs - this.#offsetMs
  }

  /**
   * What the driver's clock will say at a machine time, unless it is set meanwhile; sooner when that
   * is far off. A driver that slept for longer than the longest step would be taken for a leap, and
   * every long wait would last several times as long. `Infinity` stays what it is.
   */
  driverTime(timeMs: number): number {
    if (timeMs === Number.POSITIVE_INFINITY) return timeMs
    const soonest = Math.min(timeMs, this.#timeMs + sleepMsMax)
    const nowMs = soonest - this.#offsetMs
    // Rounded on its way back, it may be a hair too early, and who wakes then would wake for ever.
    const reached = this.#timeMs + (nowMs + this.#offsetMs - this.#timeMs)
    return reached < soonest ? nowMs + roundingMs : nowMs
  }
}

/** The longest time that one step may seem to last: far above any pause of a healthy process. */
const stepMsMax = 1_000

/** Far above what rounding does to clocks that count for centuries, far below what anybody notices. */
const roundingMs = 1 / 64

/** The longest sleep between two steps: half of that, so that a wake-up may come late. */
const sleepMsMax = stepMsMax / 2
