import { Histogram } from '../../base/histogram.ts'
import { ticksIn } from '../../wire/limits.ts'
import { SampleWindow } from './sample-window.ts'

/**
 * When ticks come, against when they would come if the network were a clock. The *phase* of a tick is
 * how much later it came than such a schedule says; the schedule itself is laid through the first tick.
 *
 *     schedule   │   │   │   │   │   │   │
 *     arrivals   │   │     │ │    │  │   │
 *     phase      0   0     6 0    3  0   0   ms
 *                                             earliest 0, playout 6: run every tick 6 ms after schedule
 *
 * The playout is a high percentile of the phases, so that nearly every tick is here when it is due. As a
 * phase, not as a queue length, it does not care for steps: when all ticks begin to come 180 ms later,
 * the playout moves there once, and is right; nothing has to be unlearned. It rises at once and sinks
 * slowly. The same numbers tell the sending side when a bundle was to be expected.
 */

/** For how long phases are kept that make the percentile; few ticks make none. */
const windowMs = 2_130
const windowTicksMin = 32

/** From how long the smallest phase is the schedule of now: short, so that steps are soon believed. */
const earliestMs = 530
const earliestTicksMin = 8

/**
 * Jitter beyond that is an outage. No buffer that a player would accept helps against it, so it must
 * not leave one behind.
 */
export const jitterMsMax = 300

/** Arrivals this close are one burst that was read packet by packet. */
const burstGapMs = 2

/** How the playout sinks: a share of what is too much in so many ms, and at least that per ms. */
const sinkTimeMs = 8_000
const sinkMin = 0.001

/** Follows the arrivals of one match's ticks. */
export class ArrivalTrack {
  readonly #window: SampleWindow
  readonly #recent: SampleWindow
  #intervalMs: number
  #anchorTick = 0
  #anchorMs = 0
  #newestTick = -1
  #notedMs = 0
  /** Up to which tick arrivals are taken into account, and when that one came. */
  #settledTick = -1
  #settledMs = 0
  #playoutMs = 0
  /** How much later than the earliest of late each tick came, outages included. */
  readonly lateness = new Histogram()

  constructor(tickRate: number) {
    this.#intervalMs = 1_000 / tickRate
    this.#window = new SampleWindow(Math.max(ticksIn(windowMs, tickRate), windowTicksMin))
    this.#recent = new SampleWindow(Math.max(ticksIn(earliestMs, tickRate), earliestTicksMin))
  }

  /** Whether a tick came since the start or the last {@link restart}. */
  get hasStarted(): boolean {
    return this.#newestTick >= 0
  }

  /** Between two ticks, at the speed of now. */
  get intervalMs(): number {
    return this.#intervalMs
  }

  /** The phase at which ticks are run. */
  get playoutMs(): number {
    return this.#playoutMs
  }

  /** How much ticks are held back at the most: what the buffer adds to those that come first. */
  get delayMs(): number {
    return Math.max(this.#playoutMs - this.#recent.min, 0)
  }

  /** How much later than the first ones nearly all ticks come. */
  get jitterMs(): number {
    return this.#window.percentile(0.95) - this.#window.min
  }

  /** When a tick comes if nothing delays it on its way. */
  earliestMs(tick: number): number {
    return this.#scheduleMs(tick) + this.#recent.min
  }

  /** The tick that is to be run now, with the fraction of the way to the next. */
  headAt(nowMs: number): number {
    return this.#anchorTick + (nowMs - this.#anchorMs - this.#playoutMs) / this.#intervalMs
  }

  /**
   * Notes that all ticks up to this one are here. What comes in one go is judged in one go, so call
   * {@link settle} before asking.
   */
  note(newestTick: number, nowMs: number): void {
    if (newestTick <= this.#newestTick) return
    if (!this.hasStarted) {
      this.#anchorTick = newestTick
      this.#anchorMs = nowMs
      this.#settledTick = newestTick - 1
      this.#settledMs = nowMs
    } else if (nowMs - this.#notedMs > burstGapMs) {
      this.settle()
    }
    this.#newestTick = newestTick
    this.#notedMs = nowMs
  }

  /** Takes what was noted into account. */
  settle(): void {
    if (this.#settledTick === this.#newestTick) return
    const newestPhase = this.#notedMs - this.#scheduleMs(this.#newestTick)
    const waited = this.#newestTick - this.#settledTick - 1
    this.#settledTick = this.#newestTick
    this.#recent.add(newestPhase)
    // Ticks that waited for each other on a stream come together: each of them tells its own lateness.
    const latest = newestPhase + waited * this.#intervalMs
    const isOutage = latest - this.#recent.min > jitterMsMax
    for (let back = isOutage ? 0 : waited; back > 0; back--) {
      this.#window.add(newestPhase + back * this.#intervalMs)
    }
    this.lateness.note(newestPhase - this.#recent.min)
    if (newestPhase - this.#recent.min <= jitterMsMax) this.#window.add(newestPhase)
    this.#follow()
  }

  /** Runs ticks later by this: a tick was missing when it was due. */
  postpone(byMs: number): void {
    this.#playoutMs = Math.min(this.#playoutMs + byMs, this.#recent.min + jitterMsMax)
  }

  /** From a tick on, ticks come at another pace. */
  setTickInterval(intervalMs: number, fromTick: number): void {
    this.#anchorMs = this.#scheduleMs(fromTick)
    this.#anchorTick = fromTick
    this.#intervalMs = intervalMs
  }

  /** Begins anew with the next tick, after a time in which arrivals told nothing. The jitter is kept. */
  restart(): void {
    this.#playoutMs = this.delayMs
    this.#newestTick = -1
    this.#settledTick = -1
    this.#window.clear()
    this.#recent.clear()
  }

  #follow(): void {
    const elapsedMs = Math.max(this.#notedMs - this.#settledMs, 0)
    this.#settledMs = this.#notedMs
    const wanted = this.#window.percentile(0.95)
    if (wanted >= this.#playoutMs) {
      this.#playoutMs = wanted
    } else {
      const excess = this.#playoutMs - wanted
      const sunk = elapsedMs * Math.max(excess / sinkTimeMs, sinkMin)
      this.#playoutMs -= Math.min(sunk, excess)
    }
    this.#playoutMs = Math.min(this.#playoutMs, this.#recent.min + jitterMsMax)
  }

  #scheduleMs(tick: number): number {
    return this.#anchorMs + (tick - this.#anchorTick) * this.#intervalMs
  }
}
