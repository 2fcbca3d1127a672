/**
 * A node's own idea of time: a straight line over virtual time that jumps and stops may break.
 *
 *     local = baseLocal + (virtual − baseVirtual) · rate        rate = 1 + ppm/10⁶, 0 while frozen
 *
 * Timers are set in local time, so a clock that runs fast wakes its node early, a jump forward makes
 * timers due at once, and a frozen clock never wakes anybody. Only a jump back moves no timer: who
 * sleeps sleeps for a while, not until an hour of the day.
 */

/** How a node's clock starts. Plain data, for plans. */
export interface ClockPlan {
  /** Local time at virtual time 0. */
  readonly offsetMs?: number
  /** Parts per million by which it runs fast (or slow, below 0). */
  readonly driftPpm?: number
  /**
   * True for a clock like `performance.now()`, which no administrator sets back: jumps back are
   * ignored. False by default: the node sees time go back.
   */
  readonly isMonotonic?: boolean
}

const never = Number.POSITIVE_INFINITY

/** One node's clock. All virtual times are in microseconds, all local ones in milliseconds. */
export class LocalClock {
  readonly #plan: ClockPlan
  #baseLocalMs: number
  #baseUs: number
  #driftPpm: number
  #freezes = 0
  /** Local milliseconds per virtual microsecond, times 1000. */
  #rate = 1

  constructor(plan: ClockPlan, nowUs: number) {
    this.#plan = plan
    this.#driftPpm = plan.driftPpm ?? 0
    this.#baseLocalMs = plan.offsetMs ?? 0
    this.#baseUs = 0
    this.#bend(0)
    this.#bend(nowUs)
  }

  toLocalMs(virtualUs: number): number {
    return this.#baseLocalMs + ((virtualUs - this.#baseUs) * this.#rate) / 1000
  }

  /** The first moment, not before `nowUs`, at which the clock shows `localMs` or more. */
  toVirtualUs(localMs: number, nowUs: number): number {
    if (this.toLocalMs(nowUs) >= localMs) return nowUs
    if (this.#rate === 0 || localMs === never) return never
    const waitUs = ((localMs - this.#baseLocalMs) * 1000) / this.#rate
    let virtualUs = Math.max(nowUs, this.#baseUs + Math.ceil(waitUs))
    if (virtualUs > Number.MAX_SAFE_INTEGER) return never
    // Rounding may end a hair too early; a timer that fires before its time would fire for ever.
    while (this.toLocalMs(virtualUs) < localMs) virtualUs++
    return virtualUs
  }

  /** Sets the clock forward or, below 0, back. Gives by how much it was set. */
  jump(byMs: number, nowUs: number): number {
    if (byMs < 0 && this.#plan.isMonotonic === true) return 0
    this.#bend(nowUs)
    this.#baseLocalMs += byMs
    return byMs
  }

  /** Another drift from now on; without a figure, that of the plan. */
  setDrift(ppm: number | undefined, nowUs: number): void {
    this.#driftPpm = ppm ?? this.#plan.driftPpm ?? 0
    this.#bend(nowUs)
  }

  /** Stops the clock until as many calls of {@link thaw} have come. */
  freeze(nowUs: number): void {
    this.#freezes++
    this.#bend(nowUs)
  }

  thaw(nowUs: number): void {
    if (this.#freezes > 0) this.#freezes--
    this.#bend(nowUs)
  }

  /** Begins a new straight line at `nowUs`. */
  #bend(nowUs: number): void {
    this.#baseLocalMs = this.toLocalMs(nowUs)
    this.#baseUs = nowUs
    this.#rate = this.#freezes > 0 ? 0 : 1 + this.#driftPpm / 1_000_000
  }
}

/** Milliseconds as the whole microseconds in which virtual time is kept. */
export function toUs(ms: number): number {
  return Math.round(ms * 1000)
}
