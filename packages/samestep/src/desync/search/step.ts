import type { ProbeAnswer, ProbeAsk, ProbeKind } from '../../wire/messages/desync-probes.ts'
import type { Probe } from '../probe-codec.ts'
import type { PairFinding } from './pair-finding.ts'
import type { Sides } from './sides.ts'

/**
 * How a search over two machines is written: as a generator that gives out questions and gets answers,
 * so that it reads from top to bottom, and whoever drives it owns links, deadlines and time.
 */

/** What a search wants next. */
export type SearchStep =
  /** Ask these sides; one of them may be left out. */
  | { readonly type: 'ask'; readonly probes: Sides<Probe | undefined> }
  /** Something is known. The search goes on. */
  | { readonly type: 'found'; readonly finding: PairFinding }

/** What came back: a decoded answer of the kind that was asked, or `undefined` where there is none. */
export type SearchAnswers = Sides<unknown>

/** A search that gives a result. */
export type Search<T> = Generator<SearchStep, T, SearchAnswers>

/** An answer that cannot be: whoever gave it is not asked any more. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer'
  readonly side: 0 | 1

  constructor(side: 0 | 1, message: string) {
    super(message)
    this.side = side
  }
}

/** Asks both sides, or one. */
export function* ask<K extends ProbeKind>(
  kind: K,
  asks: Sides<ProbeAsk<K> | undefined>,
): Search<Sides<ProbeAnswer<K> | undefined>> {
  const probes = asks.map((each) => each && { kind, ask: each })
  const answers = yield { type: 'ask', probes: probes as unknown as Sides<Probe | undefined> }
  return answers as Sides<ProbeAnswer<K> | undefined>
}

/** Asks both sides the same. */
export function askBoth<K extends ProbeKind>(
  kind: K,
  question: ProbeAsk<K>,
): Search<Sides<ProbeAnswer<K> | undefined>> {
  return ask(kind, [question, question])
}

/** Checks that an answer has as many hashes as were asked for. */
export function checkWords(side: 0 | 1, words: readonly number[], hashes: number): void {
  if (words.length === 2 * hashes) return
  throw new BadAnswer(side, `${words.length / 2} hashes instead of ${hashes}`)
}

/** Whether two lists of hashes have the same at a position. What is in one only is not the same. */
export function isSameHash(a: readonly number[], b: readonly number[], index: number): boolean {
  return a[2 * index] === b[2 * index] && a[2 * index + 1] === b[2 * index + 1]
}
