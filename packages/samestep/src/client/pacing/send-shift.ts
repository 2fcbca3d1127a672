/**
 * By how much to hold an input back, so that it is sampled as late as it can be and still in time
 * (DLY-09). The relay tells how early inputs arrive; whatever nobody needs of that is spent on the hold.
 *
 *     bundle due   │─── hold ───►│ sample, send
 *     bundle came      │         │ (a late bundle is answered that much sooner)
 *     at the relay                         │◄─ margin ─►│ seal
 *
 * The margins that count are those *without* the hold: a turn says for how long it was held, and the
 * relay adds that. So the hold does not change what it is made from; there is no loop that could swing,
 * whatever the round trip (CLK-10's regulator was one). What is left are the rules of caution:
 *
 *     hold ≤ smallest margin of the last 16 reports − their largest jitter − 2 ms
 *     later by at most 2 ms per second, earlier at once
 *     after a late input: no hold at all for 10 s, and twice as long after each further one
 *
 * A step in latency that nothing announced can still make an input late that would have been in time
 * without the hold, and those on their way with it. The doubling bounds how often: a few times in a
 * match. Over 200 random networks it was 23 inputs in a million.
 */

/** Reports that are looked back on: 16 s at one per second. */
const reportsKept = 16

/** Reports before anything is held: what was measured for a second proves nothing. */
const reportsMin = 3

/** What is left of the margin on top of the jitter, for timers and the relay's own lateness. */
const spareMs = 2

/** Ms per ms by which the hold may grow: slow enough that every report in between can stop it. */
const growthMax = 2 / 1_000

/**
 * Of the interval, this much is never held: two inputs must not go out with one packet. Of a longer
 * interval, while the match is slowed down, no more than of the normal one: it may end at any tick.
 */
const intervalSpareMs = 1

/** Without a report for so long, nothing is known. */
const silenceMsMax = 4_000

/** How long nothing is held after a late input, first and at the most. */
const penaltyMsMin = 10_000
const penaltyMsMax = 640_000

/** Without a late input for so long, the next one is met as half as bad. */
const forgiveMs = 240_000

/** Says how long inputs are held back before they are sampled and sent. */
export class SendShift {
  readonly #loops = new Float64Array(reportsKept)
  readonly #jitters = new Float64Array(reportsKept)
  readonly #normalIntervalMs: number
  #intervalMs: number
  #delayTicks: number
  #count = 0
  #holdMs = 0
  #movedMs = 0
  #reportedMs = Number.NEGATIVE_INFINITY
  #barredUntilMs = Number.NEGATIVE_INFINITY
  #penaltyMs = penaltyMsMin
  #forgivenMs = 0

  /** `intervalMs` between two ticks at normal speed, `delayTicks` of input delay at the start. */
  constructor(intervalMs: number, delayTicks: number) {
    this.#normalIntervalMs = intervalMs
    this.#intervalMs = intervalMs
    this.#delayTicks = delayTicks
  }

  /** The hold of now: 0 to just below one interval. */
  get holdMs(): number {
    return this.#holdMs
  }

  /** The input delay changed. Margins change by whole ticks with it, at once. */
  setDelay(ticks: number): void {
    this.#delayTicks = ticks
    this.#holdMs = Math.min(this.#holdMs, this.#wantedMs())
  }

  /** The match goes on at another speed. */
  setTickInterval(intervalMs: number): void {
    this.#intervalMs = intervalMs
    this.#holdMs = Math.min(this.#holdMs, this.#wantedMs())
  }

  /**
   * The relay's report over its last inputs: the smallest and the median margin, as they would have
   * been without holding, and the input delay that they were measured with.
   */
  noteReport(minMs: number, medianMs: number, delayTicks: number, nowMs: number): void {
    const at = this.#count % reportsKept
    this.#loops[at] = delayTicks * this.#intervalMs - minMs
    this.#jitters[at] = Math.max(medianMs - minMs, 0)
    this.#count += 1
    this.#reportedMs = nowMs
    this.#holdMs = Math.min(this.#holdMs, this.#wantedMs())
  }

  /** An own input was not there when its tick was sealed. */
  noteLate(nowMs: number): void {
    // Several late ones in a row are one misfortune.
    if (this.#holdMs > 0) {
      this.#forgive(nowMs)
      this.#barredUntilMs = nowMs + this.#penaltyMs
      this.#penaltyMs = Math.min(this.#penaltyMs * 2, penaltyMsMax)
      this.#forgivenMs = nowMs
    }
    this.#barredUntilMs = Math.max(this.#barredUntilMs, nowMs + penaltyMsMin)
    this.#holdMs = 0
  }

  /** A new link: what was measured over the old one says nothing. */
  restart(): void {
    this.#count = 0
    this.#holdMs = 0
  }

  /** Lets the hold grow by the time that passed. Call it about once per tick. */
  advance(nowMs: number): void {
    const elapsedMs = Math.max(nowMs - this.#movedMs, 0)
    this.#movedMs = nowMs
    if (nowMs < this.#barredUntilMs || nowMs - this.#reportedMs > silenceMsMax) {
      this.#holdMs = 0
      return
    }
    const grownMs = this.#holdMs + Math.min(elapsedMs, silenceMsMax) * growthMax
    this.#holdMs = Math.min(grownMs, this.#wantedMs())
  }

  /**
   * When to sample and send the input that a bundle calls for. `earliestMs` is when the bundle was to
   * be expected: one that was late on its way has used up some of the hold already.
   */
  sendAtMs(arrivedMs: number, earliestMs: number): number {
    return Math.max(arrivedMs, Math.min(earliestMs, arrivedMs) + this.#holdMs)
  }

  #wantedMs(): number {
    const kept = Math.min(this.#count, reportsKept)
    if (kept < reportsMin) return 0
    let loopMs = 0
    let jitterMs = 0
    for (let index = 0; index < kept; index++) {
      loopMs = Math.max(loopMs, this.#loops[index] as number)
      jitterMs = Math.max(jitterMs, this.#jitters[index] as number)
    }
    const roomMs = this.#delayTicks * this.#intervalMs - loopMs - jitterMs - spareMs
    const mostMs = Math.min(this.#intervalMs, this.#normalIntervalMs) - intervalSpareMs
    return Math.min(Math.max(roomMs, 0), mostMs)
  }

  #forgive(nowMs: number): void {
    const halvings = Math.floor((nowMs - this.#forgivenMs) / forgiveMs)
    for (let halving = 0; halving < Math.min(halvings, 8); halving++) {
      this.#penaltyMs = Math.max(this.#penaltyMs / 2, penaltyMsMin)
    }
  }
}
