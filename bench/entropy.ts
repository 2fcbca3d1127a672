/**
 * How few bits a sequence of values could take: the yardstick for codecs that know neither the game
 * nor its players. It is a conditional entropy with a small context, such as the value before, as a
 * codec with perfect statistics of exactly this trace would reach. Counting flatters: a sample shows
 * fewer values than there are. Hence the correction of Miller and Madow, without which a context of
 * many values would seem to predict noise.
 */

/** What a value is predicted from: a small whole number. */
export type Context = (values: Int32Array, index: number) => number

/** Nothing is known. */
export const noContext: Context = () => 0

/** The value before it is known. */
export const previousValue: Context = (values, index) =>
  index === 0 ? 0 : (values[index - 1] ?? 0)

/** Only the sign of the value before it: for numbers whose size has no memory. */
export const previousSign: Context = (values, index) => Math.sign(previousValue(values, index))

/** The two values before it, for what has more memory; values from 0 to 15. */
export const previousPair: Context = (values, index) =>
  previousValue(values, index) * 16 + (index < 2 ? 0 : (values[index - 2] ?? 0))

/** How often each value came in each context. */
type Counts = ReadonlyMap<number, ReadonlyMap<number, number>>

function countValues(sequences: readonly Int32Array[], context: Context): Counts {
  const counts = new Map<number, Map<number, number>>()
  for (const values of sequences) {
    for (let index = 0; index < values.length; index++) {
      const key = context(values, index)
      let inner = counts.get(key)
      if (inner === undefined) {
        inner = new Map()
        counts.set(key, inner)
      }
      const value = values[index] as number
      inner.set(value, (inner.get(value) ?? 0) + 1)
    }
  }
  return counts
}

const lengthOf = (sequences: readonly Int32Array[]): number =>
  sequences.reduce((sum, { length }) => sum + length, 0)

function entropyOf(counts: Counts, total: number): number {
  let bits = 0
  for (const inner of counts.values()) bits += contextBits(inner)
  return total === 0 ? 0 : bits / total
}

/** Bits per value of `sequences`, given a context, bias-corrected. Sequences do not see each other. */
export function conditionalEntropy(sequences: readonly Int32Array[], context: Context): number {
  return entropyOf(countValues(sequences, context), lengthOf(sequences))
}

/** All bits that the values of one context take. */
function contextBits(counts: ReadonlyMap<number, number>): number {
  let total = 0
  for (const count of counts.values()) total += count
  let bits = 0
  for (const count of counts.values()) bits -= count * Math.log2(count / total)
  // Miller and Madow: half a nat for every value but one, whatever the size of the sample.
  return bits + (counts.size - 1) / (2 * Math.LN2)
}

/**
 * Samples for each pair of context and value, below which a context tells about the sample and not about
 * its source, corrected or not.
 */
const samplesPerPairMin = 30

/** The least that any of these contexts gives that are small enough for the sample; the first always is. */
export function leastEntropy(
  sequences: readonly Int32Array[],
  contexts: readonly Context[],
): number {
  const total = lengthOf(sequences)
  let least = Number.POSITIVE_INFINITY
  contexts.forEach((context, index) => {
    const counts = countValues(sequences, context)
    let pairs = 0
    for (const inner of counts.values()) pairs += inner.size
    if (index === 0 || total / pairs >= samplesPerPairMin) {
      least = Math.min(least, entropyOf(counts, total))
    }
  })
  return least
}
