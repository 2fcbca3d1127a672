import { randomFillSync } from 'node:crypto'

/** Bytes that are asked for at once. */
const poolBytes = 4_096

/**
 * Randomness of the system, fetched for many at once: a relay gives every player a token each second,
 * and four bytes cost as much as four thousand.
 */
export class RandomPool {
  readonly #pool = new Uint8Array(poolBytes)
  #at = poolBytes

  /** Bytes that nobody else gets. */
  take(count: number): Uint8Array {
    if (count > poolBytes) return randomFillSync(new Uint8Array(count))
    if (this.#at + count > poolBytes) {
      randomFillSync(this.#pool)
      this.#at = 0
    }
    const bytes = this.#pool.slice(this.#at, this.#at + count)
    // Who sees the memory later learns nothing of what was given out.
    this.#pool.fill(0, this.#at, this.#at + count)
    this.#at += count
    return bytes
  }
}
