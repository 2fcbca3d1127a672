import type { Prng } from '../../base/prng.ts'

/** Random bytes: at least one, at most so many. */
export function noiseOf(random: Prng, most: number): Uint8Array {
  return Uint8Array.from({ length: 1 + random.below(most) }, () => random.below(256))
}

/** Noise that passes for a control message by its first byte. */
export function noiseMessage(random: Prng): Uint8Array {
  const bytes = noiseOf(random, 64)
  bytes[0] = (bytes[0] as number) % 0x3e
  return bytes
}
