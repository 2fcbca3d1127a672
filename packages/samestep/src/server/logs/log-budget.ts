/**
 * How many lines strangers may cause in a relay's log. Matches are made, left and ended by whoever likes
 * to; each of that is a line worth having, and thousands per second fill a disk and hide the rest.
 *
 *     a match    20 lines at once, then one per second; "machines disagree" once in ten seconds
 *     a relay    500 lines at once, then 50 per second
 *
 * What was left out is counted, and told.
 */
import { TokenBucket } from '../../base/token-bucket.ts'

/** Lines of one match, at once and per second: all that happens in a usual match comes in. */
const matchLinesBurst = 20
const matchLinesPerSecond = 1

/** Lines of all matches: 50 per second are less than a gigabyte a day. */
const linesBurst = 500
const linesPerSecond = 50

/** How often one match may say that its machines disagree, and how often is told what was left out. */
const repeatMs = 10_000

/** What is known of one match. */
interface MatchLines {
  readonly bucket: TokenBucket
  /** When it may next say that its machines disagree, and how often it would have since. */
  disagreeAtMs: number
  disagreed: number
}

/** Decides which log lines about matches are written, and counts the others. */
export class LogBudget {
  readonly #matches = new Map<string, MatchLines>()
  readonly #all: TokenBucket
  #skipped = 0
  #tellAtMs: number

  constructor(nowMs: number) {
    this.#all = new TokenBucket(linesBurst, linesPerSecond, nowMs)
    this.#tellAtMs = nowMs
  }

  /** Matches that it knows, for leak checks. */
  get size(): number {
    return this.#matches.size
  }

  /** Whether a line about a match is written now. */
  admit(match: string, nowMs: number): boolean {
    if (this.#linesOf(match, nowMs).bucket.take(1, nowMs) && this.#all.take(1, nowMs)) return true
    this.#skipped += 1
    return false
  }

  /** The machines of a match disagree. Gives how often since it was last told, or 0 for not now. */
  admitDisagreement(match: string, nowMs: number): number {
    const lines = this.#linesOf(match, nowMs)
    lines.disagreed += 1
    if (nowMs < lines.disagreeAtMs || !this.#all.take(1, nowMs)) return 0
    const count = lines.disagreed
    lines.disagreed = 0
    lines.disagreeAtMs = nowMs + repeatMs
    return count
  }

  /** Lines that were left out, when it is time to tell; 0 otherwise. */
  takeSkipped(nowMs: number): number {
    if (this.#skipped === 0 || nowMs < this.#tellAtMs) return 0
    const skipped = this.#skipped
    this.#skipped = 0
    this.#tellAtMs = nowMs + repeatMs
    return skipped
  }

  /** A match is over: the next one of its name begins anew. */
  forget(match: string): void {
    this.#matches.delete(match)
  }

  #linesOf(match: string, nowMs: number): MatchLines {
    const known = this.#matches.get(match)
    if (known !== undefined) return known
    const bucket = new TokenBucket(matchLinesBurst, matchLinesPerSecond, nowMs)
    const fresh = { bucket, disagreeAtMs: nowMs, disagreed: 0 }
    this.#matches.set(match, fresh)
    return fresh
  }
}
