import { traceBlockEntries } from '../limits.ts'
import type { TraceEntry } from './trace-entry.ts'

/**
 * Finds the first entry on which two traces differ, by hashes alone.
 *
 * Each side can tell the hash over its first n entries. Up to the first difference these are equal,
 * and from there on they are not: so a bisection finds it, first from block to block, whose hashes
 * both sides keep, then from entry to entry within one block.
 *
 *     = = = = = = = = ≠ ≠ ≠ ≠ ≠ ≠ ≠ ≠        one question halves what is left
 *                    ▲
 *
 * The two sides may be two machines: {@link TraceSearch} only says what to ask, and takes the answer.
 */

/** One side of a comparison: a trace, or what is known of one. */
export interface TraceSource {
  readonly count: number
  /** Writes the hash over the first `entries` entries to `out`; returns false if it is not known. */
  prefixWords(entries: number, out: Uint32Array): boolean
}

/** A question from one side to the other: what is the hash over your first `entries` entries? */
export interface TraceQuestion {
  readonly entries: number
}

/** The hash as two words; `undefined` if the entries that it needs are no longer kept. */
export type TraceAnswer = { readonly lo: number; readonly hi: number } | undefined

/** The result of a search. */
export type TraceVerdict =
  /** Both traces have the same entries. */
  | { readonly result: 'same' }
  /** Entry `index` is the first that differs; one of the traces may have ended before it. */
  | { readonly result: 'differs'; readonly index: number }
  /**
   * The first difference is among the entries `from` to `to`, but one side no longer has them. Run
   * again with `keepFrom: from`.
   */
  | { readonly result: 'dropped'; readonly from: number; readonly to: number }

/** Answers a question from the other side's search. */
export function answerTrace(source: TraceSource, { entries }: TraceQuestion): TraceAnswer {
  const words = new Uint32Array(2)
  if (!source.prefixWords(entries, words)) return undefined
  return { lo: words[0] as number, hi: words[1] as number }
}

/**
 * One side's search: send {@link question} and pass the answer to {@link handleAnswer}, until the verdict.
 */
export class TraceSearch {
  readonly #mine: TraceSource
  readonly #common: number
  readonly #isSameLength: boolean
  /** Equal over the first `#equal` entries, and not known to be over any longer run below `#above`. */
  #equal = 0
  /** Different over the first `#above` entries; more than can be asked until that is known. */
  #above: number
  #asked: number | undefined
  #verdict: TraceVerdict | undefined
  #comparisons = 0

  constructor(mine: TraceSource, theirCount: number) {
    this.#mine = mine
    this.#common = Math.min(mine.count, theirCount)
    this.#isSameLength = mine.count === theirCount
    this.#above = this.#common + 1
    this.#choose()
  }

  /** The number of hashes compared so far. */
  get comparisons(): number {
    return this.#comparisons
  }

  get verdict(): TraceVerdict | undefined {
    return this.#verdict
  }

  /** The next question to the other side; `undefined` once there is a verdict. */
  get question(): TraceQuestion | undefined {
    return this.#asked === undefined ? undefined : { entries: this.#asked }
  }

  handleAnswer(theirs: TraceAnswer): void {
    const asked = this.#asked
    if (asked === undefined) return
    const mine = answerTrace(this.#mine, { entries: asked })
    this.#comparisons += 1
    if (mine === undefined || theirs === undefined) {
      const to = Math.min(this.#above, this.#common)
      this.#finish({ result: 'dropped', from: this.#equal, to })
    } else if (mine.lo === theirs.lo && mine.hi === theirs.hi) {
      this.#equal = asked
      this.#choose()
    } else {
      this.#above = asked
      this.#choose()
    }
  }

  #finish(verdict: TraceVerdict): void {
    this.#verdict = verdict
    this.#asked = undefined
  }

  /** Blocks first: their hashes cost nothing. The end before the middle: most traces are the same. */
  #choose(): void {
    const [equal, above, common] = [this.#equal, this.#above, this.#common]
    const lastBlock = Math.floor(common / traceBlockEntries) * traceBlockEntries
    if (above === common + 1) {
      if (equal < lastBlock) this.#asked = lastBlock
      else if (equal < common) this.#asked = common
      else if (this.#isSameLength) this.#finish({ result: 'same' })
      else this.#finish({ result: 'differs', index: common })
      return
    }
    if (above - equal === 1) {
      this.#finish({ result: 'differs', index: equal })
      return
    }
    const blocks = Math.floor((above - equal) / traceBlockEntries)
    const step = blocks > 1 ? (blocks >>> 1) * traceBlockEntries : (above - equal) >>> 1
    this.#asked = equal + step
  }
}

/** The result of {@link compareTraces}. */
export interface TraceComparison<E = TraceEntry> {
  readonly verdict: TraceVerdict
  /** The first differing entry of each side; `undefined` for a side that has ended. */
  readonly mine: E | undefined
  readonly theirs: E | undefined
  /** The number of hashes compared: about the logarithm of the number of entries. */
  readonly comparisons: number
}

/**
 * Compares two traces in one process, and returns the first write on which they differ, from both sides.
 */
export function compareTraces<E = TraceEntry>(
  mine: TraceSource & { entry(index: number): E | undefined },
  theirs: TraceSource & { entry(index: number): E | undefined },
): TraceComparison<E> {
  const search = new TraceSearch(mine, theirs.count)
  for (let question = search.question; question !== undefined; question = search.question) {
    search.handleAnswer(answerTrace(theirs, question))
  }
  const verdict = search.verdict as TraceVerdict
  const index = verdict.result === 'differs' ? verdict.index : -1
  return {
    verdict,
    mine: mine.entry(index),
    theirs: theirs.entry(index),
    comparisons: search.comparisons,
  }
}
