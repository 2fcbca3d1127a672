import { ackDelayMs, timeoutMsInitial, timeoutMsMax, timeoutMsMin } from '../limits.ts'

/** Weight of one packet in the share of losses: the last two seconds of 30 packets each count most. */
const lossWeight = 1 / 64

/** For how long a smallest round trip is believed: paths change, queues that never empty do not. */
const smallestMs = 10_000

/** Answers to wait for: one may be late by its delay, and one may be lost. */
const ackDelaysMax = 3

/** Samples of which the smallest counts as the round trip of now: one that jitter left alone. */
const recentSamples = 4

/** What the packets of one link tell about its path: round trip as in RFC 6298, and loss. */
export class PathEstimator {
  // `private` instead of `#` for the reason given in BitWriter.
  private smoothed: number | undefined
  private variation = 0
  private loss = 0
  /** The smallest round trip of this period and of the one before. */
  private smallest = Number.POSITIVE_INFINITY
  private smallestBefore = Number.POSITIVE_INFINITY
  private periodEndMs = Number.NEGATIVE_INFINITY
  private readonly recent = new Float64Array(recentSamples)
  private recentAt = 0

  /** The smoothed round trip; `undefined` before the first sample. */
  get rttMs(): number | undefined {
    return this.smoothed
  }

  /** How much the round trip varies; `undefined` before the first sample. */
  get rttVariationMs(): number | undefined {
    return this.smoothed === undefined ? undefined : this.variation
  }

  /** Share of packets lost lately. */
  get lossShare(): number {
    return this.loss
  }

  /** By how much the last round trips, all of them, exceed the smallest: what queues add. */
  get queueMs(): number {
    if (this.smoothed === undefined) return 0
    return Math.min(...this.recent) - Math.min(this.smallest, this.smallestBefore)
  }

  /** By how much the last round trip exceeds the smallest, be it for a queue or for jitter. */
  get riseMs(): number {
    if (this.smoothed === undefined) return 0
    const last = this.recent[(this.recentAt + recentSamples - 1) % recentSamples]!
    return last - Math.min(this.smallest, this.smallestBefore)
  }

  handleSample(sampleMs: number, nowMs: number): void {
    if (nowMs >= this.periodEndMs) {
      this.smallestBefore = this.smallest
      this.smallest = Number.POSITIVE_INFINITY
      this.periodEndMs = nowMs + smallestMs
    }
    this.smallest = Math.min(this.smallest, sampleMs)
    if (this.smoothed === undefined) {
      this.smoothed = sampleMs
      this.variation = sampleMs / 2
      this.recent.fill(sampleMs)
      return
    }
    this.recent[this.recentAt] = sampleMs
    this.recentAt = (this.recentAt + 1) % recentSamples
    this.variation += (Math.abs(this.smoothed - sampleMs) - this.variation) / 4
    this.smoothed += (sampleMs - this.smoothed) / 8
  }

  /** Notes the verdicts over some packets. */
  handleVerdicts(ackedCount: number, lostCount: number): void {
    for (let count = 0; count < lostCount; count++) this.loss += (1 - this.loss) * lossWeight
    for (let count = 0; count < ackedCount; count++) this.loss -= this.loss * lossWeight
  }

  /** How long to wait for an acknowledgement after `failures` that did not come in a row. */
  timeoutMs(failures: number): number {
    const base =
      this.smoothed === undefined
        ? timeoutMsInitial
        : this.smoothed + 4 * this.variation + ackDelaysMax * ackDelayMs
    // 2 ** 5 times the smallest is beyond the largest already.
    const grown = Math.max(base, timeoutMsMin) * (1 << Math.min(failures, 5))
    return Math.min(grown, timeoutMsMax)
  }
}
