/**
 * Decides when ticks are sealed. Time that has passed adds up, and each tick takes its share. A
 * process that was stalled does not have to make up all the ticks it missed: at most `makeUpMs` are
 * made up, and never faster than at twice the pace, so that a stall causes no burst (CLK-03, F-14).
 *
 *     ticks   1 2 3 4 5 . . . (800 ms pause) . . . 6 7 8 9 10 11 | 12  13  14
 *                                                  half intervals | whole ones
 */
export class TickClock {
  readonly #normalMs: number
  #intervalMs: number
  /** When the next tick is due by the clock alone. */
  #dueMs: number
  /** No tick before this time: paces the ticks that are made up. */
  #notBeforeMs: number
  readonly #makeUpMs: number

  /** At most `makeUpMs` of lost time is made up. */
  constructor(tickRate: number, nowMs: number, makeUpMs: number = makeUpMsDefault) {
    this.#makeUpMs = makeUpMs
    this.#normalMs = 1_000 / tickRate
    this.#intervalMs = this.#normalMs
    this.#dueMs = nextPhase(nowMs + this.#intervalMs, this.#intervalMs)
    this.#notBeforeMs = nowMs
  }

  /** The time between two ticks at the current speed. */
  get intervalMs(): number {
    return this.#intervalMs
  }

  /** When {@link isDue} next becomes true. */
  wakeAtMs(): number {
    return Math.max(this.#dueMs, this.#notBeforeMs)
  }

  isDue(nowMs: number): boolean {
    return nowMs >= this.#dueMs && nowMs >= this.#notBeforeMs
  }

  /** Counts one tick as sealed. */
  advance(nowMs: number): void {
    // Lost time beyond what may be made up is dropped.
    this.#dueMs = Math.max(this.#dueMs, nowMs - this.#makeUpMs) + this.#intervalMs
    this.#notBeforeMs = nowMs + this.#intervalMs / 2
  }

  /** Changes the speed: what is left of the running interval shrinks or grows with it. */
  setSpeed(percent: number, nowMs: number): void {
    const before = this.#intervalMs
    this.#intervalMs = (this.#normalMs * 100) / percent
    const scale = this.#intervalMs / before
    if (this.#dueMs > nowMs) this.#dueMs = nowMs + (this.#dueMs - nowMs) * scale
    // The pacing of lost time follows the new speed too, or a faster match would begin with a wait.
    if (this.#notBeforeMs > nowMs) this.#notBeforeMs = nowMs + (this.#notBeforeMs - nowMs) * scale
  }

  /** Time spent waiting is not made up: the clock goes on from here. */
  postpone(nowMs: number): void {
    if (nowMs > this.#dueMs) this.#dueMs = nowMs
  }
}

/**
 * The next moment at which matches with this interval tick. They share {@link phases} phases, so that
 * a relay with hundreds of matches wakes 120 times per second and not thousands of times: waking up,
 * for it and for the machines at the other end of one wire, costs as much as the work done then. With
 * one phase for all, every input that arrives during the burst would wait for its end.
 */
function nextPhase(atMs: number, intervalMs: number): number {
  const stepMs = intervalMs / phases
  return Math.ceil(atMs / stepMs) * stepMs
}

/** At 70 % of a core, each burst takes a sixth of an interval, and inputs wait no longer than that. */
const phases = 4

/** Lost time that is made up by default: longer stalls are better seen as a pause. */
export const makeUpMsDefault = 200
