import { assert } from '../../base/assert.ts'
import { UsageError } from '../../base/errors.ts'
import type { Fixed } from '../math/fixed.ts'

/**
 * xoshiro128** by Blackman and Vigna: 128 bits of state, a period of 2^128 - 1, 32-bit operations
 * only. Its state lives in memory that the caller owns, as eight words that a snapshot copies and a
 * hash reads like any column:
 *
 *     word   0   1   2   3   4          5           6   7
 *            state           draws low  draws high  0   0
 *
 * The count of draws changes no result. It is there because two machines whose states agree but whose
 * counts differ have disagreed before, and because a report that says "client 3 drew once more" is
 * half of a diagnosis.
 */

/** Words of memory that one stream takes. */
export const wordsPerStream = 8

/** Something with numbered places, such as an array or a typed array. */
export type MutableArrayLike<T> = { readonly length: number; [index: number]: T }

/** The range of one draw: 2^32. */
const WORD_RANGE = 0x1_0000_0000

function refuse(action: string, problem: string): never {
  throw new UsageError('SS_BAD_ARGUMENT', `Cannot ${action}: ${problem}`)
}

/** 2^32 modulo n. */
function remainderOfRange(n: number): number {
  return 0x1_0000_0000 % n
}

/**
 * The upper 32 bits of `draw × n`, given the lower ones. The product may need 64 bits, and the double
 * is wrong by 2^11 at most. Without its low word it is a multiple of 2^32, so the half that is added
 * before cutting is far more than the error.
 */
function highWord(draw: number, n: number, low: number): number {
  return ((draw * n - low) / 0x1_0000_0000 + 0.5) >>> 0
}

/**
 * One sequence of random numbers inside the simulation. The same on every machine, as long as every
 * machine draws the same: so never draw for the sake of effects, for which there is a cosmetic
 * generator.
 *
 * Every method draws at least once, also when the answer is certain: changing a chance from 99 % to
 * 100 % must not move all later draws of a recorded match. Nothing is allocated.
 */
export class RandomStream {
  readonly #words: Uint32Array

  /** Works on eight words of memory, which must have been seeded or loaded before the first draw. */
  constructor(words: Uint32Array) {
    assert(words.length === wordsPerStream, `A stream needs 8 words, not ${words.length}`)
    this.#words = words
  }

  /** How often {@link next} ran since the seeding, by whichever method. Exact up to 2^53. */
  get draws(): number {
    return this.#words[5]! * WORD_RANGE + this.#words[4]!
  }

  /** The next 32 bits: an integer from 0 to 2^32 - 1. */
  next(): number {
    const words = this.#words
    const s1 = words[1]!
    const product = Math.imul(s1, 5)
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0
    const s2 = words[2]! ^ words[0]!
    const s3 = words[3]! ^ s1
    words[1] = s1 ^ s2
    words[0] = words[0]! ^ s3
    words[2] = s2 ^ (s1 << 9)
    words[3] = (s3 << 11) | (s3 >>> 21)
    const draws = (words[4]! + 1) | 0
    words[4] = draws
    if (draws === 0) words[5] = words[5]! + 1
    return result
  }

  /**
   * An integer from 0 to `n - 1`, each exactly as likely as the others.
   *
   * Lemire's method: the high word of `draw × n` is the result, and the few draws whose low word falls
   * into the uneven rest of 2^32 / n are thrown away. For small `n` that is one in millions.
   *
   * @throws UsageError `SS_BAD_ARGUMENT` unless `n` is an integer from 1 to 2^32.
   */
  below(n: number): number {
    if (!(n >= 1 && n <= 0x1_0000_0000) || Math.floor(n) !== n) {
      refuse('draw below a limit', `the limit is ${n}; it must be an integer from 1 to 2^32`)
    }
    const draw = this.next()
    const low = Math.imul(draw, n) >>> 0
    // The first comparison is nearly always the last: a remainder costs more than all the rest.
    if (low < n && low < remainderOfRange(n)) return this.#belowAgain(n)
    return highWord(draw, n, low)
  }

  /** Draws until the low word is out of the uneven rest. Apart, so that the usual way stays short. */
  #belowAgain(n: number): number {
    const rest = remainderOfRange(n)
    for (;;) {
      const draw = this.next()
      const low = Math.imul(draw, n) >>> 0
      if (low >= rest) return highWord(draw, n, low)
    }
  }

  /**
   * An integer from `lowest` to `highest`, both possible.
   *
   * @throws UsageError `SS_BAD_ARGUMENT` unless both are safe integers in this sequence, at most
   * 2^32 - 1 apart.
   */
  between(lowest: number, highest: number): number {
    const count = highest - lowest + 1
    const isLegal = Number.isSafeInteger(lowest) && Number.isSafeInteger(highest)
    if (!isLegal || count < 1 || count > WORD_RANGE) {
      refuse(
        'draw between two limits',
        `they are ${lowest} and ${highest}; they must be integers, the lower one first, at most 2^32 - 1 apart`,
      )
    }
    return lowest + this.below(count)
  }

  /**
   * True in `n` of `d` cases: `chance(1, 20)` is a critical hit. Fractions are exact, unlike 0.05.
   *
   * @throws UsageError `SS_BAD_ARGUMENT` unless `d` is an integer from 1 to 2^32 and `n` one from 0 to d.
   */
  chance(n: number, d: number): boolean {
    const isLegal = Number.isInteger(n) && Number.isInteger(d)
    if (!isLegal || n < 0 || n > d || d < 1 || d > WORD_RANGE) {
      refuse(
        'draw with a chance',
        `it is ${n} in ${d}; both must be integers, 0 ≤ n ≤ d and 1 ≤ d ≤ 2^32`,
      )
    }
    return this.below(d) < n
  }

  /** True or false, equally likely. */
  bool(): boolean {
    return this.next() >= 0x8000_0000
  }

  /**
   * A fixed number from `lowest` to just below `limit`; without arguments from 0 to just below 1. Every
   * unit in between is equally likely.
   *
   * @throws UsageError `SS_BAD_ARGUMENT` unless both are int32 and `lowest` is below `limit`.
   */
  fixed(lowest: Fixed = 0, limit: Fixed = 0x1_0000): Fixed {
    if ((lowest | 0) !== lowest || (limit | 0) !== limit || lowest >= limit) {
      refuse(
        'draw a fixed number',
        `the limits are ${lowest} and ${limit}; they must be fixed numbers, the lower one first`,
      )
    }
    return lowest + this.below(limit - lowest)
  }

  /** Puts the items into a random sequence, each one equally likely, in place; returns the same array. */
  shuffle<A extends MutableArrayLike<unknown>>(items: A): A {
    const places: MutableArrayLike<unknown> = items
    for (let last = items.length - 1; last > 0; last--) {
      const chosen = this.below(last + 1)
      const item = places[chosen]
      places[chosen] = places[last]
      places[last] = item
    }
    return items
  }

  /**
   * One of the items, each one equally likely.
   *
   * @throws UsageError `SS_BAD_ARGUMENT` when there is none.
   */
  pick<T>(items: ArrayLike<T>): T {
    if (items.length === 0) {
      refuse('pick an item', 'the list is empty; it must have at least one item')
    }
    return items[this.below(items.length)]!
  }

  /**
   * The index of one weight; a weight of 3 comes up three times as often as one of 1, a weight of 0
   * never.
   *
   * @throws UsageError `SS_BAD_ARGUMENT` unless all weights are integers from 0 on, with a sum from 1 to
   * 2^32 - 1.
   */
  weighted(weights: ArrayLike<number>): number {
    let sum = 0
    for (let index = 0; index < weights.length; index++) {
      const weight = weights[index]!
      if (!(weight >= 0) || Math.floor(weight) !== weight) {
        refuse('draw by weight', `weight ${index} is ${weight}; it must be an integer from 0 on`)
      }
      sum += weight
    }
    if (!(sum >= 1 && sum < WORD_RANGE)) {
      refuse('draw by weight', `the sum of the weights is ${sum}; it must be from 1 to 2^32 - 1`)
    }
    let rest = this.below(sum)
    let index = 0
    while (rest >= weights[index]!) rest -= weights[index++]!
    return index
  }
}
