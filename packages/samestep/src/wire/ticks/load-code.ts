/**
 * A load in eight bits: exact up to 63 %, then with six significant bits, so that it is told to 1.6 %
 * however large it is. Counting whole percents, eight bits end at 255 %, and lag protection took every
 * machine that is slower than that for one that is two and a half times too slow.
 *
 *     code      0 … 63   64 … 95    96 … 127   128 … 159  160 … 191   … 255
 *     percent   0 … 63   64 … 126   128 … 252  256 … 504  512 … 1008  … 4032
 *     steps of     1        2          4          8          16         64
 *
 * Every code is a load, and every load that has a code has one.
 */

/** Loads up to here are told exactly: the first whose highest bit has no room. */
const exactMax = 63

/** Bits below the highest one that are told of a larger load. */
const shareBits = 5

/** The largest load that can be told: forty times too slow. */
export const loadCodeMax = 4_032

/** The code of the load nearest to this one. */
export function encodeLoad(percent: number): number {
  const whole = Math.round(Math.min(Math.max(percent, 0), loadCodeMax))
  if (whole <= exactMax) return whole
  const shift = 31 - Math.clz32(whole) - shareBits
  // What rounds up to the next power of two is that one's first code: the carry is the right one.
  return (shift << shareBits) + Math.round(whole / (1 << shift))
}

/** The load that a code of eight bits stands for. */
export function decodeLoad(code: number): number {
  if (code <= exactMax) return code
  const shift = (code >> shareBits) - 1
  return ((code & 31) + 32) << shift
}
