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

/** Bits per value of `sequences`, given a context, bias-corrected. Sequences do not see each other. */
export function conditionalEntropy(sequences: readonly Int32Array[], context: Context): number {
  const counts = new Map<number, Map<number, number>>()
  let total = 0
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
      total += 1
    }
  }
  let bits = 0
  for (const inner of counts.values()) bits += contextBits(inner)
  return total === 0 ? 0 : bits / total
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

/** The least that any of these contexts gives: the codec to beat picks the best one. */
export function leastEntropy(
  sequences: readonly Int32Array[],
  contexts: readonly Context[],
): number {
  return Math.min(...contexts.map((context) => conditionalEntropy(sequences, context)))
}
