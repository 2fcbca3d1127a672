import { leavingMsMax, standstillMsMax } from '../../wire/patience.ts'
import type { StrikeReason } from './strikes.ts'

/**
 * The random token that a client sends back to prove that it lives (T-41). A new one is given only when
 * the last one came back, so a slow line is never taken for a lie.
 */
export class ProofToken {
  /** Below 0 before there is one. */
  #value = -1
  #previous = -1
  /** Those before, the newest first: over the line that a session left they may still come. */
  readonly #older: number[] = []
  #isReturned = true
  #givenAtMs = Number.NEGATIVE_INFINITY
  /** Whether tokens of the relay before may still come: they prove nothing, and are no lie. */
  #isRestored = false

  /** Until when a link that the session has left may still deliver tokens of the previous relay. */
  #foreignUntilMs = Number.NEGATIVE_INFINITY

  get value(): number {
    return this.#value
  }

  /** Whether it is time for a new one. */
  isDue(nowMs: number): boolean {
    return this.#isReturned && nowMs >= this.#givenAtMs + tokenEveryMs
  }

  /** Gives a new one: 32 random bits, other than the last ones. */
  set(value: number, nowMs: number): void {
    this.#older.unshift(this.#previous)
    if (this.#older.length > olderMax) this.#older.pop()
    this.#previous = this.#value
    this.#value = value
    this.#isReturned = false
    this.#givenAtMs = nowMs
  }

  /** What a token that came back is: a proof, nothing, or a breach of the rules. */
  judge(value: number, nowMs: number): 'proof' | 'nothing' | StrikeReason {
    if (value === this.#value) {
      this.#isReturned = true
      if (this.#isRestored) this.#foreignUntilMs = nowMs + leavingMsMax
      this.#isRestored = false
      return 'proof'
    }
    if (this.#isRestored) return 'nothing'
    if (this.#older.includes(value)) return 'old-token'
    if (value !== this.#previous) return nowMs < this.#foreignUntilMs ? 'old-token' : 'wrong-token'
    if (this.#isReturned) return 'old-token'
    // A client that never sees the new token does not live: its line would have brought it.
    return nowMs - this.#givenAtMs >= standstillMsMax ? 'nothing' : 'proof'
  }

  /** Goes on with a client of a relay that is gone, which still has the tokens of that one. */
  restore(): void {
    this.#isRestored = true
  }

  /** What could not be shown over a dead line is not missing. */
  forgive(nowMs: number): void {
    this.#givenAtMs = Math.max(this.#givenAtMs, nowMs - tokenEveryMs)
  }

  excuse(lostMs: number): void {
    this.#givenAtMs += lostMs
  }
}

/** How often a token is renewed. */
const tokenEveryMs = 1_000

/** As many as can be given while a session still hears of the line that it left. */
const olderMax = Math.ceil(leavingMsMax / tokenEveryMs)
