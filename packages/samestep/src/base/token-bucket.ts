import { assert } from './assert.ts'

/**
 * A budget that refills with time: so many at once, so many per second in the long run.
 *
 * Integers only (T-37). A token is a thousand parts and a millisecond brings `perSecond` parts, so
 * nothing is ever rounded; what a client does cannot make it negative, not a number, or more than
 * full. A clock that is set back brings nothing, and the bucket goes on from there.
 */
export class TokenBucket {
  #capParts: number
  #perMs: number
  #parts: number
  /** The whole millisecond up to which it has been refilled. */
  #atMs: number

  /** Starts full. */
  constructor(cap: number, perSecond: number, nowMs: number) {
    assert(isWithin(cap, 1) && isWithin(perSecond, 0), 'A bucket needs whole numbers')
    this.#capParts = cap * partsPerToken
    this.#perMs = perSecond
    this.#parts = this.#capParts
    this.#atMs = Math.floor(nowMs)
  }

  /** Goes on with another size and pace. A larger bucket fills with time: nothing is given away. */
  resize(cap: number, perSecond: number, nowMs: number): void {
    assert(isWithin(cap, 1) && isWithin(perSecond, 0), 'A bucket needs whole numbers')
    this.#refill(nowMs)
    this.#capParts = cap * partsPerToken
    this.#perMs = perSecond
    this.#parts = Math.min(this.#parts, this.#capParts)
  }

  /** Whole tokens that are there now. */
  tokens(nowMs: number): number {
    this.#refill(nowMs)
    return Math.floor(this.#parts / partsPerToken)
  }

  /** Whether so many could be taken now. Nonsense, such as -1, never can. */
  has(count: number, nowMs: number): boolean {
    this.#refill(nowMs)
    return Number.isSafeInteger(count) && count >= 0 && count <= this.#parts / partsPerToken
  }

  /** Takes so many, or none when there are fewer. */
  take(count: number, nowMs: number): boolean {
    if (!this.has(count, nowMs)) return false
    this.#parts -= count * partsPerToken
    return true
  }

  /** Milliseconds until so many can be taken; `Infinity` when that will never be. */
  waitMs(count: number, nowMs: number): number {
    if (this.has(count, nowMs)) return 0
    const wanted = count * partsPerToken
    const isPossible = Number.isSafeInteger(count) && count > 0 && wanted <= this.#capParts
    if (!isPossible || this.#perMs === 0) return Number.POSITIVE_INFINITY
    return Math.ceil((wanted - this.#parts) / this.#perMs)
  }

  #refill(nowMs: number): void {
    const ms = Math.floor(nowMs)
    if (ms === this.#atMs || !Number.isSafeInteger(ms)) return
    const elapsed = ms - this.#atMs
    this.#atMs = ms
    if (elapsed < 0) return
    const missing = this.#capParts - this.#parts
    // Compared before it is multiplied: an hour of parts may be more than a number holds exactly.
    if (this.#perMs > 0 && elapsed >= missing / this.#perMs) this.#parts = this.#capParts
    else this.#parts += elapsed * this.#perMs
  }
}

/** Parts of a token: as many as a second has milliseconds. */
const partsPerToken = 1_000

/** The largest bucket and the fastest refill: their parts stay small integers. */
const tokensMax = 1_000_000

function isWithin(count: number, min: number): boolean {
  return Number.isInteger(count) && count >= min && count <= tokensMax
}
