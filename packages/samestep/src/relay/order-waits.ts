/** How long the last orders of a seat waited from arriving to being sealed: fairness, in figures. */
export class OrderWaits {
  readonly #samples = new Float32Array(kept)
  readonly #sorted = new Float32Array(kept)
  #count = 0

  add(waitMs: number): void {
    this.#samples[this.#count % kept] = Math.max(waitMs, 0)
    this.#count += 1
  }

  /** What this share of them did not exceed, in whole ms; 0 before there was one. */
  percentile(share: number): number {
    const used = Math.min(this.#count, kept)
    if (used === 0) return 0
    const sorted = this.#sorted.subarray(0, used)
    sorted.set(this.#samples.subarray(0, used))
    sorted.sort()
    const index = Math.min(Math.ceil(share * used), used) - 1
    return Math.min(Math.round(sorted[Math.max(index, 0)] as number), 65_535)
  }
}

/** Orders looked back on: a minute of an eager player. */
const kept = 64
