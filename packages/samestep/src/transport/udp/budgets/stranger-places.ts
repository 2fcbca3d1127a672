/**
 * Places for those who have not joined yet: handshakes that are not over, failed ones of the last
 * seconds, and sessions whose player is not in a match. Bounded in all and for each address block, so
 * that nobody fills a relay with links that do nothing.
 */

/** What the places are told. */
export interface PlaceLimits {
  readonly perAddress: number
  readonly total: number
}

/** The places of strangers, counted per address block and in all. */
export class StrangerPlaces {
  readonly #limits: PlaceLimits
  readonly #blocks = new Map<string, number>()
  #count = 0

  constructor(limits: PlaceLimits) {
    this.#limits = limits
  }

  /** Places that are taken. */
  get count(): number {
    return this.#count
  }

  /** Why there is no place for another one of this block; `undefined` if there is one. */
  refusal(block: string): 'strangers' | 'group' | undefined {
    if (this.#count >= this.#limits.total) return 'strangers'
    return (this.#blocks.get(block) ?? 0) >= this.#limits.perAddress ? 'group' : undefined
  }

  /** Takes a place, after {@link refusal} said that there is one. Gives what frees it, once. */
  take(block: string): () => void {
    this.#count++
    this.#blocks.set(block, (this.#blocks.get(block) ?? 0) + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#count--
      const left = this.#blocks.get(block)! - 1
      if (left === 0) this.#blocks.delete(block)
      else this.#blocks.set(block, left)
    }
  }
}
