/**
 * When ticks are sealed. Time that passed adds up; each tick takes its share. A process that stood
 * still does not owe the world the ticks it slept through: at most `makeUpMs` are made up, and never faster than twice the pace, so that a stall is no burst (CLK-03, F-14).
 *
 *     ticks   1 2 3 4 5 . . . (800 ms pause) . . . 6 7 8 9 10 11 | 12  13  14
 *                                                  half intervals | whole ones
 */
export class TickClock {
  readonly #normalMs: number
  #intervalMs: number
  /** When the next tick is due by the clock alone. */
  #dueMs: number
  /** No tick before this: paces what is made up. */
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

  /** Between two ticks, at the speed of now. */
  get intervalMs(): number {
    return this.#intervalMs
  }

  /** When {@link isDue} will next say yes. */
  wakeAtMs(): number {
    return Math.max(this.#dueMs, this.#notBeforeMs)
  }

  isDue(nowMs: number): boolean {
    return nowMs >= this.#dueMs && nowMs >= this.#notBeforeMs
  }

  /** Counts one tick as sealed. */
  advance(nowMs: number): void {
    // What is older than the time that may be made up never happened.
    this.#dueMs = Math.max(this.#dueMs, nowMs - this.#makeUpMs) + this.#intervalMs
    this.#notBeforeMs = nowMs + this.#intervalMs / 2
  }

  /** Goes on at another speed: what is left of the running interval shrinks or grows with it. */
  setSpeed(percent: number, nowMs: number): void {
    const before = this.#intervalMs
    this.#intervalMs = (this.#normalMs * 100) / percent
    const scale = this.#intervalMs / before
    if (this.#dueMs > nowMs) this.#dueMs = nowMs + (this.#dueMs - nowMs) * scale
    // What paces lost time keeps to the new pace too, or a faster match would begin with a wait.
    if (this.#notBeforeMs > nowMs) this.#notBeforeMs = nowMs + (this.#notBeforeMs - nowMs) * scale
  }

  /** Waiting for a late input is not a debt: the clock goes on from here. */
  postpone(nowMs: number): void {
    if (nowMs > this.#dueMs) this.#dueMs = nowMs
  }
}

/**
 * The next moment at which matches of this pace tick. They share {@link phases} of them, so that a
 * relay with hundreds of matches wakes 120 times per second and not thousands of times: waking, for it
 * and for the machines at the other end of one wire, costs as much as what is done then. One phase for
 * all would let every input that comes during the burst wait for its end.
 */
function nextPhase(atMs: number, intervalMs: number): number {
  const stepMs = intervalMs / phases
  return Math.ceil(atMs / stepMs) * stepMs
}

/** At 70 % of a core, each burst takes a sixth of an interval, and inputs wait for no more than that. */
const phases = 4

/** Lost time that is made up, unless an operator says otherwise: longer stalls are better seen as a pause. */
export const makeUpMsDefault = 200
