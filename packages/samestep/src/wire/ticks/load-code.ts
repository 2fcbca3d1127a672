/**
 * A load in eight bits: exact up to 63 %, then with six significant bits, so that it is accurate to
 * 1.6 % however large it is. Whole percents in eight bits would end at 255 %, and lag protection
 * would take every slower machine for one that is two and a half times too slow.
 *
 *     code      0 … 63   64 … 95    96 … 127   128 … 159  160 … 191   … 255
 *     percent   0 … 63   64 … 126   128 … 252  256 … 504  512 … 1008  … 4032
 *     steps of     1        2          4          8          16         64
 *
 * Every code stands for one load, and no load has two codes.
 */

/** Loads up to here are encoded exactly: they fit in six bits. */
const exactMax = 63

/** Bits below the highest one that are kept of a larger load. */
const shareBits = 5

/** The largest load that can be encoded: forty times too slow. */
export const loadCodeMax = 4_032

/** The code of the load nearest to this one. */
export function encodeLoad(percent: number): number {
  const whole = Math.round(Math.min(Math.max(percent, 0), loadCodeMax))
  if (whole <= exactMax) return whole
  const shift = 31 - Math.clz32(whole) - shareBits
  // Rounding up to the next power of two carries into the first code of that power, as it should.
  return (shift << shareBits) + Math.round(whole / (1 << shift))
}

/** The load that a code of eight bits stands for. */
export function decodeLoad(code: number): number {
  if (code <= exactMax) return code
  const shift = (code >> shareBits) - 1
  return ((code & 31) + 32) << shift
}
