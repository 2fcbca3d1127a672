/** How long the last orders of a seat waited from arriving to being sealed: fairness, in figures. */
export class OrderWaits {
  readonly #samples = new Float32Array(kept)
  #count = 0

  add(waitMs: number): void {
    this.#samples[this.#count % kept] = Math.max(waitMs, 0)
    this.#count += 1
  }

  /** What this share of them did not exceed, in whole ms; 0 before there was one. */
  percentile(share: number): number {
    const used = Math.min(this.#count, kept)
    if (used === 0) return 0
    this.#sort(used)
    const index = Math.min(Math.ceil(share * used), used) - 1
    return Math.min(Math.round(sorted[Math.max(index, 0)] as number), 65_535)
  }

  /** Into what all seats share, unless it is there: who asks for one share asks for another. */
  #sort(used: number): void {
    if (sortedOf === this && sortedCount === this.#count) return
    sortedOf = this
    sortedCount = this.#count
    for (let index = 0; index < used; index++) {
      const sample = this.#samples[index] as number
      let at = index
      for (; at > 0 && (sorted[at - 1] as number) > sample; at--) {
        sorted[at] = sorted[at - 1] as number
      }
      sorted[at] = sample
    }
  }
}

/** Orders looked back on: a minute of an eager player. */
const kept = 64

/** The samples of whoever was asked last, in rising order, and how many it ever had then. */
const sorted = new Float32Array(kept)
let sortedOf: OrderWaits | undefined
let sortedCount = 0
