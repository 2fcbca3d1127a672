/**
 * For matches that wait for every input: makes all ticks a little longer instead of letting some of
 * them wait (LAG-10). OpenRA slows down the fast clients, which there run ahead of the slow ones; here
 * nobody runs ahead of the relay, and what runs into the slowest player's input at every few ticks is
 * the relay's own clock. So it is the clock that gives way, for all at the same tick, by an event.
 *
 *     sealed   │   │   │     │   │   │     │   │   │       waits: 33, 33, 43 ms
 *     sealed   │    │    │    │    │    │    │    │        stretched: 37, 37, 37 ms
 *
 * How early inputs come says nothing by itself: somebody next door is always far ahead of somebody
 * overseas, and neither waits. What counts are the waits:
 *
 *     raise      each second in which more than a tenth of the ticks waited, to the mean time from seal
 *                to seal, waits included; by a tenth at the most
 *     lower      by 1 % when the latest input came early enough for that, twice over, for 4 s; twice as
 *                long, up to 60 s, each time that a lowering had to be taken back within 10 s
 *     count      waits that ended because the input came. For who does not come at all, nothing helps.
 */

/** A tenth is the most that players do not feel. */
export const stretchMax = 0.1

/** One step of the stretch: speeds are whole percents. */
const stretchStep = 0.01

/** How often the waits are looked at: OpenRA's second. */
const reviewMs = 1_000

const lowerAfterMsMin = 4_000
const lowerAfterMsMax = 60_000
const regretMs = 10_000

/** Waits shorter than that share of an interval are rounding. */
const waitShareMin = 0.01

/** If no more than that share of the ticks waits, it is a hiccup, and no pace would have helped. */
const waitsShareMin = 0.1

/** The stretch of one match's ticks. */
export class TickStretch {
  readonly #intervalMs: number
  #stretch = 0
  #reviewAtMs = Number.NEGATIVE_INFINITY
  #ticks = 0
  #waits = 0
  #waitedMs = 0
  /** How early the latest input of a tick came, at the least since the last change. */
  #slackMs = Number.POSITIVE_INFINITY
  #calmSinceMs = 0
  #lowerAfterMs = lowerAfterMsMin
  #loweredAtMs = Number.NEGATIVE_INFINITY

  constructor(tickRate: number) {
    this.#intervalMs = 1_000 / tickRate
  }

  /** By what a tick is longer than normal: 0 to {@link stretchMax}. */
  get stretch(): number {
    return this.#stretch
  }

  /** The speed that is left of this one, in whole percents. */
  limitOf(percent: number): number {
    const least = Math.ceil(percent / (1 + stretchMax) - 1e-9)
    return Math.max(Math.floor(percent / (1 + this.#stretch) + 1e-9), least)
  }

  /**
   * A tick was sealed after it had waited for an input, 0 if it had not; the latest of its inputs came
   * so long before.
   */
  noteSealed(waitedMs: number, slackMs: number): void {
    this.#ticks += 1
    this.#waitedMs += waitedMs
    if (waitedMs > waitShareMin * this.#intervalMs) this.#waits += 1
    this.#slackMs = Math.min(this.#slackMs, slackMs)
  }

  /** Whether the stretch is another now. `delayTicks` is the input delay in force. */
  update(delayTicks: number, nowMs: number): boolean {
    if (nowMs < this.#reviewAtMs) return false
    this.#reviewAtMs = nowMs + reviewMs
    const isWaiting = this.#waits > this.#ticks * waitsShareMin
    const waited = this.#waitedMs / Math.max(this.#ticks, 1) / this.#intervalMs
    this.#ticks = 0
    this.#waits = 0
    this.#waitedMs = 0
    const before = this.#stretch
    if (isWaiting) this.#raise(waited, nowMs)
    else this.#lower(delayTicks, nowMs)
    return this.#stretch !== before
  }

  #raise(waited: number, nowMs: number): void {
    this.#startOver(nowMs)
    if (nowMs - this.#loweredAtMs < regretMs) {
      this.#lowerAfterMs = Math.min(2 * this.#lowerAfterMs, lowerAfterMsMax)
      // One mistake is regretted once.
      this.#loweredAtMs = Number.NEGATIVE_INFINITY
    }
    const wanted = Math.ceil((this.#stretch + waited) / stretchStep - 1e-9) * stretchStep
    this.#stretch = Math.min(wanted, stretchMax)
  }

  /** All ticks of the input delay become shorter together: that much earlier an input must come. */
  #lower(delayTicks: number, nowMs: number): void {
    const neededMs = 2 * delayTicks * this.#intervalMs * stretchStep
    if (this.#stretch === 0 || !(this.#slackMs > neededMs)) {
      this.#startOver(nowMs)
      return
    }
    if (nowMs - this.#calmSinceMs < this.#lowerAfterMs) return
    this.#startOver(nowMs)
    this.#loweredAtMs = nowMs
    this.#stretch = Math.max(Math.round(this.#stretch / stretchStep - 1) * stretchStep, 0)
  }

  #startOver(nowMs: number): void {
    this.#calmSinceMs = nowMs
    this.#slackMs = Number.POSITIVE_INFINITY
  }
}
