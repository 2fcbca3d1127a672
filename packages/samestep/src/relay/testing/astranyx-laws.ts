/**
 * Astranyx's input delay and batching as the catalogue describes them (DLY-01, DLY-02, DLY-04), written
 * from that description, for comparison with our own laws.
 */

/** DLY-01: ticks of delay for a mean round trip, between 2 and 6. */
export function astranyxTargetDelay(meanRttMs: number): number {
  return Math.min(Math.max(Math.ceil(meanRttMs / 33.33) + 1, 2), 6)
}

/** DLY-01, DLY-02: starts with 3, follows the mean of the last 10 samples by 1 tick per second. */
export class AstranyxDelay {
  delayTicks = 3
  readonly #samples: number[] = []
  #changedMs = Number.NEGATIVE_INFINITY

  noteRtt(rttMs: number, nowMs: number): void {
    this.#samples.push(rttMs)
    if (this.#samples.length > 10) this.#samples.shift()
    const mean = this.#samples.reduce((sum, sample) => sum + sample, 0) / this.#samples.length
    const target = astranyxTargetDelay(mean)
    if (target === this.delayTicks || nowMs - this.#changedMs < 1_000) return
    this.#changedMs = nowMs
    this.delayTicks += Math.sign(target - this.delayTicks)
  }
}

/** DLY-04: inputs per packet by latency. */
export function astranyxBatch(latencyMs: number): number {
  if (latencyMs < 30) return 1
  if (latencyMs < 60) return 2
  return latencyMs < 100 ? 3 : 4
}

/** DLY-04: an input that waited that long is sent with whatever is there. */
export const astranyxFlushMs = 33
