/** Sines around the circle, for `sin`, `cos` and `tan`. */
import type { Pair } from './double-double.ts'
import { addPairs, multiplyPairs, negatePair } from './double-double.ts'

/** Table points per quarter of the circle: they are π/128 apart, so |r| ≤ π/256 ≈ 0.0123. */
const QUARTER = 64

/** sin(π/128) and cos(π/128) to 106 bits: the angle by which the table turns from row to row. */
const SIN_STEP: Pair = [0.024541228522912288, -9.186849012577878e-20]
const COS_STEP: Pair = [0.9996988186962042, -2.985148640379975e-17]

/**
 * Four doubles per angle k·π/128, k from 0 to 255: its sine in two parts, its cosine in two parts.
 * One row is half a cache line; 8 KB in all.
 */
export function makeSines(): Float64Array {
  // Sines of the first quarter, by turning: 64 turns lose 6 of 104 bits, and 70 are needed.
  const quarter: Pair[] = []
  let sine: Pair = [0, 0]
  let cosine: Pair = [1, 0]
  for (let k = 0; k <= QUARTER / 2; k++) {
    // Turning only to 45° and mirroring the rest gives sin and cos of the same angle the same bits.
    quarter[k] = sine
    quarter[QUARTER - k] = cosine
    const turned = addPairs(multiplyPairs(sine, COS_STEP), multiplyPairs(cosine, SIN_STEP))
    cosine = addPairs(multiplyPairs(cosine, COS_STEP), negatePair(multiplyPairs(sine, SIN_STEP)))
    sine = turned
  }
  const table = new Float64Array(4 * QUARTER * 4)
  for (let k = 0; k < 4 * QUARTER; k++) {
    table.set(sineAt(quarter, k), 4 * k)
    table.set(sineAt(quarter, k + QUARTER), 4 * k + 2)
  }
  return table
}

function sineAt(quarter: readonly Pair[], k: number): Pair {
  const half = k % (2 * QUARTER)
  const sine = quarter[half > QUARTER ? 2 * QUARTER - half : half] as Pair
  return k % (4 * QUARTER) < 2 * QUARTER ? sine : negatePair(sine)
}
