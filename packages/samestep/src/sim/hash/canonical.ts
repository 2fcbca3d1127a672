/**
 * Canonical floats in plain JavaScript: one pattern for every NaN, no negative zero. Works on the
 * words, never on the numbers: reading a NaN as a number may already change its bits.
 */

import type { FloatFormat } from './kernel.ts'
import { nanF32, nanF64High } from './kernel-constants.ts'

// Copies, because loaders and bundlers may turn an import into a getter call, once per cell.
const nan32 = nanF32
const nan64High = nanF64High
/** As a signed word: the sign bit alone. Zero itself is common in columns and costs no branch. */
const negativeZero = -0x8000_0000

/** Makes the floats in `words[start]` … `words[end - 1]` canonical. */
export function canonicaliseWords(
  words: Int32Array,
  start: number,
  end: number,
  format: FloatFormat,
): void {
  if (format === 'f32') {
    for (let index = start; index < end; index++) {
      const word = words[index]!
      if ((word & 0x7fff_ffff) > 0x7f80_0000) words[index] = nan32
      else if (word === negativeZero) words[index] = 0
    }
    return
  }
  for (let index = start; index < end; index += 2) {
    const high = words[index + 1]!
    if (isNanF64(words[index]!, high)) {
      words[index] = 0
      words[index + 1] = nan64High
    } else if (isNegativeZeroF64(words[index]!, high)) {
      words[index + 1] = 0
    }
  }
}

/** Whether {@link canonicaliseWords} would change nothing. */
export function areWordsCanonical(
  words: Int32Array,
  start: number,
  end: number,
  format: FloatFormat,
): boolean {
  if (format === 'f32') {
    for (let index = start; index < end; index++) {
      const word = words[index]!
      const isNan = (word & 0x7fff_ffff) > 0x7f80_0000
      if (isNan ? word !== nan32 : word === negativeZero) return false
    }
    return true
  }
  for (let index = start; index < end; index += 2) {
    const low = words[index]!
    const high = words[index + 1]!
    const isOdd = isNanF64(low, high)
      ? high !== nan64High || low !== 0
      : isNegativeZeroF64(low, high)
    if (isOdd) return false
  }
  return true
}

/** The exponent is all ones and the fraction is not zero. */
function isNanF64(low: number, high: number): boolean {
  const size = high & 0x7fff_ffff
  return size >= 0x7ff0_0000 && (size > 0x7ff0_0000 || low !== 0)
}

function isNegativeZeroF64(low: number, high: number): boolean {
  return high === negativeZero && low === 0
}
