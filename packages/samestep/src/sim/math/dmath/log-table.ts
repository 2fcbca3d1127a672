/** Reciprocals and their logarithms, for `log`, `pow` and their relatives. */
import type { Pair } from './double-double.ts'
import { addPairs, negatePair, quotientOf, smallArc } from './double-double.ts'

/** Intervals per factor of two. */
const INTERVALS = 128

/**
 * Where the first interval begins, as the upper word of a double (0.687). Chosen so that 1 lies in
 * the middle of an interval, and so that e is 0 on both sides of 1, where e·ln 2 must not interfere.
 */
const INTERVALS_START = 0x3fe5f000

/** Bits of the upper word below the number of the interval. */
const INTERVAL_SHIFT = 13

/** The first part of a logarithm is a multiple of this, 2^-42, so that sums of first parts are exact. */
const GRAIN = 1 / 4398046511104

/**
 * Four doubles per interval: c ≈ 1/m for the m in it, a multiple of 2^-10; -ln c in two parts; and
 * a gap that makes a row half a cache line. The interval around 1 has c = 1. 4 KB.
 */
export function makeLogarithms(): Float64Array {
  const reciprocals: number[] = []
  for (let i = 0; i < INTERVALS; i++) reciprocals.push(Math.round(1024 / middleOf(i)))
  const table = new Float64Array(4 * INTERVALS)
  const one = reciprocals.indexOf(1024)
  // Outwards from 1, in two directions.
  for (const direction of [1, -1]) {
    let logarithm: Pair = [0, 0]
    for (let i = one; i >= 0 && i < INTERVALS; i += direction) {
      const c = reciprocals[i] as number
      const before = i === one ? c : (reciprocals[i - direction] as number)
      // ln(a/b) = 2·atanh((a - b)/(a + b)), and neighbours are close.
      const step = smallArc(quotientOf(before - c, before + c), 1)
      logarithm = addPairs(logarithm, addPairs(step, step))
      const first = Math.round(logarithm[0] / GRAIN) * GRAIN
      const second = addPairs(logarithm, negatePair([first, 0]))[0]
      table.set([c / 1024, first, second], 4 * i)
    }
  }
  return table
}

/** The middle of an interval, from the bits of its borders. */
function middleOf(i: number): number {
  const word = INTERVALS_START + ((2 * i + 1) << (INTERVAL_SHIFT - 1))
  const fraction = (word & 0xfffff) / 0x100000
  return word < 0x3ff00000 ? (1 + fraction) / 2 : 1 + fraction
}
