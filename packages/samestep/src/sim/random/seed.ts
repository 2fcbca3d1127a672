import { assert } from '../../base/assert.ts'
import { UsageError } from '../../base/errors.ts'
import { seedLengthMax, streamNameLengthMax } from '../limits.ts'

/**
 * From a match seed and a name to the 128 bits with which a generator begins.
 *
 * Four lanes absorb 32-bit units, one after the other. A round feeds the unit into the first lane,
 * scrambles that lane with the finaliser of MurmurHash3 and hands the lanes on:
 *
 *     mixed = scramble(a xor unit)
 *     (a, b, c, d) becomes (b + mixed, c, d, mixed)
 *
 * For a given unit a round is a bijection of the 128 bits, so no entropy of the seed is lost, and two
 * texts that differ in one unit cannot meet in that round. What is absorbed, in this sequence:
 *
 *     purpose · length of seed · units of seed · length of name · units of name · 12 × zero
 *
 * The lengths keep `ab` + `c` apart from `a` + `bc`; the twelve empty rounds let the last unit reach
 * every bit of every lane three times. `test/vectors/random.json` has examples.
 */

/** What decides all randomness of a match. A number means its decimal digits: 7 is `'7'`. */
export type MatchSeed = number | string

/** The first absorbed unit: keeps generators of different kinds apart, whatever their names are. */
export type SeedPurpose = 1 | 2 | 3

/** Streams that the simulation draws from. */
export const forSimulation: SeedPurpose = 1
/** Effects that differ on every machine. */
export const forFreeEffects: SeedPurpose = 2
/** Effects that are the same on every machine. */
export const forSyncedEffects: SeedPurpose = 3

/** Empty rounds at the end: each lane is scrambled three times. */
const closingRounds = 12

/** The finaliser of MurmurHash3: a bijection in which every input bit reaches every output bit. */
function scramble(word: number): number {
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35)
  return word ^ (word >>> 16)
}

/** One round over the first four words of `lanes`. */
export function absorb(lanes: Uint32Array, unit: number): void {
  const mixed = scramble(lanes[0]! ^ unit)
  lanes[0] = lanes[1]! + mixed
  lanes[1] = lanes[2]!
  lanes[2] = lanes[3]!
  lanes[3] = mixed
}

function absorbText(lanes: Uint32Array, text: string): void {
  absorb(lanes, text.length)
  for (let index = 0; index < text.length; index++) absorb(lanes, text.charCodeAt(index))
}

/** Ends the absorbing. Afterwards the lanes are a legal state: not all of them are zero. */
export function closeLanes(lanes: Uint32Array): void {
  for (let round = 0; round < closingRounds; round++) absorb(lanes, 0)
  // Zero is the one state that xoshiro never leaves. It has a chance of 2^-128 to come up here.
  if ((lanes[0]! | lanes[1]! | lanes[2]! | lanes[3]!) === 0) lanes[0] = 1
}

/** Fills the first four words of `lanes` from a purpose and two texts, ready for more or for closing. */
export function openLanes(
  lanes: Uint32Array,
  purpose: SeedPurpose,
  seed: string,
  name: string,
): void {
  // The first 128 bits of the fraction of π: numbers with nothing up their sleeve.
  lanes[0] = 0x243f6a88
  lanes[1] = 0x85a308d3
  lanes[2] = 0x13198a2e
  lanes[3] = 0x03707344
  absorb(lanes, purpose)
  absorbText(lanes, seed)
  absorbText(lanes, name)
}

/**
 * The text that a match seed stands for.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` unless it is a safe integer from 0 on, or 1 to 64 characters.
 */
export function seedText(seed: MatchSeed): string {
  if (typeof seed === 'number') {
    if (Number.isSafeInteger(seed) && seed >= 0) return String(seed)
  } else if (typeof seed === 'string' && seed.length >= 1 && seed.length <= seedLengthMax) {
    return seed
  }
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot seed a match: the seed is ${typeof seed === 'string' ? JSON.stringify(seed) : String(seed)}; it must be an integer from 0 to 2^53 - 1 or a string of 1 to ${seedLengthMax} characters`,
  )
}

/**
 * Starts the stream in the eight `words` for a match: state from seed and name, no draws yet. Streams
 * of different names, and the same stream in different matches, have nothing to do with each other.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for an impossible seed or a name of more than 64 characters.
 */
export function seedStream(words: Uint32Array, seed: MatchSeed, name: string): void {
  assert(words.length === 8, `A stream needs 8 words, not ${words.length}`)
  if (name.length > streamNameLengthMax) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot seed a stream: its name has ${name.length} characters; it must have at most ${streamNameLengthMax}`,
    )
  }
  const text = seedText(seed)
  words.fill(0)
  openLanes(words, forSimulation, text, name)
  closeLanes(words)
}
