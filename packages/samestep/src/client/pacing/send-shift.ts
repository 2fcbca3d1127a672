/**
 * Decides how long an input is held back, so that it is sampled as late as possible and still in time
 * (DLY-09). The relay reports how early inputs arrive; the part of that margin that is not needed is
 * spent on the hold.
 *
 *     bundle due   │─── hold ───►│ sample, send
 *     bundle came      │         │ (a late bundle is answered that much sooner)
 *     at the relay                         │◄─ margin ─►│ seal
 *
 * Margins are measured *without* the hold: a turn says how long it was held, and the relay adds that.
 * So the hold does not affect its own measurement, and no feedback loop can oscillate, whatever the
 * round-trip time (CLK-10's regulator was such a loop). Only rules of caution remain:
 *
 *     hold ≤ smallest margin of the last 16 reports − their largest jitter − 2 ms
 *     later by at most 2 ms per second, earlier at once
 *     after a late input: no hold at all for 10 s, and twice as long after each further one
 *
 * A sudden step in latency can still make inputs late that would have been in time without the hold:
 * the held one and those in flight. The doubling limits this to a few times per match. Over 200 random
 * networks, it happened to 23 inputs in a million.
 */

/** Reports that are kept: 16 s at one per second. */
const reportsKept = 16

/** Reports needed before anything is held: one second of measurements proves nothing. */
const reportsMin = 3

/** The margin that is kept in addition to the jitter, for timers and the relay's own delays. */
const spareMs = 2

/**
 * How fast the hold may grow, in ms per ms: slowly enough that every report in between can stop it.
 */
const growthMax = 2 / 1_000

/**
 * The part of the tick interval that the hold never uses: two inputs must not share a packet. While the
 * match is slowed down, the normal interval is the limit, because the slowdown may end at any tick.
 */
const intervalSpareMs = 1

/** Without a report for this long, the margins are unknown and nothing is held. */
const silenceMsMax = 4_000

/** How long nothing is held after a late input: at first, and at most. */
const penaltyMsMin = 10_000
const penaltyMsMax = 640_000

/** Each time this long passes without a late input, the penalty for the next one is halved. */
const forgiveMs = 240_000

/** Computes how long inputs are held back before they are sampled and sent. */
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

  /** The current hold: 0 to just below one interval. */
  get holdMs(): number {
    return this.#holdMs
  }

  /** The input delay changed. Margins change by whole ticks with it, at once. */
  setDelay(ticks: number): void {
    this.#delayTicks = ticks
    this.#holdMs = Math.min(this.#holdMs, this.#wantedMs())
  }

  /** The speed of the match changed. */
  setTickInterval(intervalMs: number): void {
    this.#intervalMs = intervalMs
    this.#holdMs = Math.min(this.#holdMs, this.#wantedMs())
  }

  /**
   * The relay's report on the last inputs: the smallest and the median margin, as they would have been
   * without the hold, and the input delay at which they were measured.
   */
  noteReport(minMs: number, medianMs: number, delayTicks: number, nowMs: number): void {
    const at = this.#count % reportsKept
    this.#loops[at] = delayTicks * this.#intervalMs - minMs
    this.#jitters[at] = Math.max(medianMs - minMs, 0)
    this.#count += 1
    this.#reportedMs = nowMs
    this.#holdMs = Math.min(this.#holdMs, this.#wantedMs())
  }

  /** An input of this client was missing when its tick was sealed. */
  noteLate(nowMs: number): void {
    // Several late inputs in a row count as one incident.
    if (this.#holdMs > 0) {
      this.#forgive(nowMs)
      this.#barredUntilMs = nowMs + this.#penaltyMs
      this.#penaltyMs = Math.min(this.#penaltyMs * 2, penaltyMsMax)
      this.#forgivenMs = nowMs
    }
    this.#barredUntilMs = Math.max(this.#barredUntilMs, nowMs + penaltyMsMin)
    this.#holdMs = 0
  }

  /** A new link: measurements over the old one do not apply. */
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
   * When to sample and send the input that a bundle calls for. `earliestMs` is when the bundle was
   * expected: a delayed one has already used up part of the hold.
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
