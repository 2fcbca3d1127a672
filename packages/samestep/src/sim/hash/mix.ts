/**
 * The slow, thorough half of the sync hash: a few words in, 64 well-mixed bits out. One round takes
 * two words into a state of two words:
 *
 *     a = fold₁₅((a ^ x) * A)      b = fold₁₃((b ^ y) * B)      foldₙ(v) = v ^ (v >>> n)
 *     a = a + b                    b = rotl(b, 19) ^ a
 *
 * A round is a bijection of the state for fixed words and of the words for a fixed state, so words
 * that differ in one round only never collide.
 */
import {
  accumulatorCount,
  chainDomain,
  finishRounds,
  labelDomain,
  leafDomain,
  nodeDomain,
  rootDomain,
  roundMultiplierA,
  roundMultiplierB,
  roundRotation,
  roundShiftA,
  roundShiftB,
  startWord,
} from './kernel-constants.ts'

// A typed array instead of a returned pair: nothing is allocated, and words stay 32 bits wide.
const state = new Int32Array(2)
// Copies, because loaders and bundlers may turn an import into a getter call.
const multiplierA = roundMultiplierA
const multiplierB = roundMultiplierB
const shiftA = roundShiftA
const shiftB = roundShiftB
const rotation = roundRotation
const startA = startWord(0)
const startB = startWord(1)

function begin(a: number, b: number): void {
  state[0] = a
  state[1] = b
}

function round(x: number, y: number): void {
  let a = Math.imul(state[0]! ^ x, multiplierA)
  let b = Math.imul(state[1]! ^ y, multiplierB)
  a ^= a >>> shiftA
  b ^= b >>> shiftB
  a = (a + b) | 0
  b = ((b << rotation) | (b >>> (32 - rotation))) ^ a
  state[0] = a
  state[1] = b
}

function finish(length: number, domain: number, out: Uint32Array, outIndex: number): void {
  round(length, domain)
  for (let count = 0; count < finishRounds; count++) round(0, 0)
  out[outIndex] = state[0]!
  out[outIndex + 1] = state[1]!
}

/** The hash of a leaf from its 32 accumulators, its seed and its length in bytes. */
export function mixLeaf(
  accumulators: Int32Array,
  seedLo: number,
  seedHi: number,
  byteLength: number,
  out: Uint32Array,
  outIndex: number,
): void {
  begin(seedLo, seedHi)
  for (let index = 0; index < accumulatorCount; index += 2) {
    round(accumulators[index]!, accumulators[index + 1]!)
  }
  finish(byteLength, leafDomain, out, outIndex)
}

/** The hash of the node above two others, whose words are at `left` and `right` in `hashes`. */
export function mixNode(
  hashes: Uint32Array,
  left: number,
  right: number,
  out: Uint32Array,
  outIndex: number,
): void {
  // The same as begin, two rounds and finish, but with the state in registers instead of memory, which takes
  // half the time: this runs for many nodes in every tick.
  let a = Math.imul(startA ^ hashes[left]!, multiplierA)
  let b = Math.imul(startB ^ hashes[left + 1]!, multiplierB)
  a ^= a >>> shiftA
  b ^= b >>> shiftB
  a = (a + b) | 0
  b = ((b << rotation) | (b >>> (32 - rotation))) ^ a
  a = Math.imul(a ^ hashes[right]!, multiplierA)
  b = Math.imul(b ^ hashes[right + 1]!, multiplierB)
  a ^= a >>> shiftA
  b ^= b >>> shiftB
  a = (a + b) | 0
  b = ((b << rotation) | (b >>> (32 - rotation))) ^ a
  a ^= 2
  b ^= nodeDomain
  for (let count = 0; count <= finishRounds; count++) {
    a = Math.imul(a, multiplierA)
    b = Math.imul(b, multiplierB)
    a ^= a >>> shiftA
    b ^= b >>> shiftB
    a = (a + b) | 0
    b = ((b << rotation) | (b >>> (32 - rotation))) ^ a
  }
  out[outIndex] = a
  out[outIndex + 1] = b
}

/** The root of a tree of `leafCount` leaves from its top node, or from zeros if there is none. */
export function mixRoot(
  leafCount: number,
  topLo: number,
  topHi: number,
  out: Uint32Array,
  outIndex: number,
): void {
  begin(startA, startB)
  round(topLo, topHi)
  finish(leafCount, rootDomain, out, outIndex)
}

/** 64 bits from a few bytes: the seed of a label. */
export function mixBytes(bytes: Uint8Array, out: Uint32Array, outIndex: number): void {
  const word = (index: number): number =>
    (bytes[index] ?? 0) |
    ((bytes[index + 1] ?? 0) << 8) |
    ((bytes[index + 2] ?? 0) << 16) |
    ((bytes[index + 3] ?? 0) << 24)
  begin(startA, startB)
  for (let index = 0; index < bytes.length; index += 8) round(word(index), word(index + 4))
  finish(bytes.length, labelDomain, out, outIndex)
}

/**
 * The chain over hashes: takes one more into the two words of `chain`. Chains over different hashes, or
 * over the same in another sequence, stay different, whatever follows.
 */
export function mixChain(chain: Uint32Array, lo: number, hi: number): void {
  begin(chain[0]!, chain[1]!)
  round(lo, hi)
  finish(1, chainDomain, chain, 0)
}
