import { TokenBucket } from '../../../base/token-bucket.ts'

/**
 * Which address made which match, how many each has, and how many it made lately. A match outlives
 * whoever made it, so this bounds what one stranger can leave behind, however often it comes back.
 */
export class Makers<Match> {
  readonly #addresses = new Map<Match, string>()
  readonly #counts = new Map<string, number>()
  readonly #perMinute: number
  /** By address, the one that made a match last at the end. Those that are full are forgotten. */
  readonly #budgets = new Map<string, TokenBucket>()

  /** `perMinute` matches of one address in a minute, and as many at once. */
  constructor(perMinute: number = Number.POSITIVE_INFINITY) {
    this.#perMinute = perMinute
  }

  /** Matches that an address made and that still exist. Nobody in particular has none. */
  countOf(address: string | undefined): number {
    return address === undefined ? 0 : (this.#counts.get(address) ?? 0)
  }

  /** Whether an address has made as many lately as it may. */
  isHasty(address: string | undefined, nowMs: number): boolean {
    if (address === undefined) return false
    return this.#budgets.get(address)?.has(partsPerMatch, nowMs) === false
  }

  note(match: Match, address: string | undefined, nowMs: number): void {
    if (address === undefined) return
    this.#addresses.set(match, address)
    this.#counts.set(address, this.countOf(address) + 1)
    this.#spend(address, nowMs)
  }

  /**
   * Another relay that shares these limits has so many more matches of an address, or fewer. One that
   * was made there just now counts for the minute here too: see {@link noteMadeElsewhere}.
   */
  noteElsewhere(address: string, change: number): void {
    const sum = this.countOf(address) + change
    if (sum > 0) this.#counts.set(address, sum)
    else this.#counts.delete(address)
  }

  /** An address made a match at another relay that shares these limits. */
  noteMadeElsewhere(address: string, nowMs: number): void {
    this.noteElsewhere(address, 1)
    this.#spend(address, nowMs)
  }

  /** The match is over. Harmless for one that nobody in particular made. */
  forget(match: Match): void {
    const address = this.#addresses.get(match)
    if (address === undefined) return
    this.#addresses.delete(match)
    const left = this.countOf(address) - 1
    if (left === 0) this.#counts.delete(address)
    else this.#counts.set(address, left)
  }

  /** Addresses that have any, for leak checks. */
  get size(): number {
    return this.#counts.size
  }

  /** Addresses whose haste is remembered, for leak checks. */
  get budgetCount(): number {
    return this.#budgets.size
  }

  #spend(address: string, nowMs: number): void {
    if (this.#perMinute > perMinuteMax) return
    const cap = this.#perMinute * partsPerMatch
    const budget = this.#budgets.get(address) ?? new TokenBucket(cap, this.#perMinute, nowMs)
    budget.take(partsPerMatch, nowMs)
    this.#budgets.delete(address)
    this.#budgets.set(address, budget)
    // Those at the front were quiet longest: they are full first.
    for (const [other, others] of this.#budgets) {
      if (this.#budgets.size <= budgetsMax && others.tokens(nowMs) < cap) break
      this.#budgets.delete(other)
    }
  }
}

/** A match costs so many parts, of which a second brings as many as a minute allows matches. */
const partsPerMatch = 60

/** The fastest that a bucket can count. More is no limit at all. */
export const perMinuteMax = 10_000

/** Addresses whose haste is remembered at once. Beyond, those that were quiet longest are forgiven. */
const budgetsMax = 16_384
