/**
 * Seeding and xoshiro128** once more, in BigInt and as plainly as they can be written, from their
 * descriptions. The published vectors come from here, so that they check the fast code.
 */

const mask = 0xffff_ffffn

function rotate(word: bigint, bits: bigint): bigint {
  return ((word << bits) | (word >> (32n - bits))) & mask
}

/** The first `count` outputs for a state of four words. */
export function referenceOutputs(state: readonly number[], count: number): number[] {
  let [s0 = 0n, s1 = 0n, s2 = 0n, s3 = 0n] = state.map(BigInt)
  const outputs: number[] = []
  while (outputs.length < count) {
    outputs.push(Number((rotate((s1 * 5n) & mask, 7n) * 9n) & mask))
    const t = (s1 << 9n) & mask
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= t
    s3 = rotate(s3, 11n)
  }
  return outputs
}

function scramble(word: bigint): bigint {
  word ^= word >> 16n
  word = (word * 0x85eb_ca6bn) & mask
  word ^= word >> 13n
  word = (word * 0xc2b2_ae35n) & mask
  return word ^ (word >> 16n)
}

/** The state after absorbing a purpose, a seed, a name and more units. */
export function referenceState(
  purpose: number,
  seed: string,
  name: string,
  more: readonly number[] = [],
): number[] {
  const unitsOf = (text: string): number[] => Array.from(text.split(''), (c) => c.charCodeAt(0))
  const units = [
    purpose,
    seed.length,
    ...unitsOf(seed),
    name.length,
    ...unitsOf(name),
    ...more,
    ...new Array<number>(12).fill(0),
  ]
  let lanes = [0x243f_6a88n, 0x85a3_08d3n, 0x1319_8a2en, 0x0370_7344n]
  for (const unit of units) {
    const [a = 0n, b = 0n, c = 0n, d = 0n] = lanes
    const mixed = scramble(a ^ BigInt(unit))
    lanes = [(b + mixed) & mask, c, d, mixed]
  }
  return lanes.map(Number)
}
