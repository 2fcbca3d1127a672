import type { Prng } from '../base/prng.ts'

/** How long a damaged packet may be. */
export interface DamageRange {
  readonly bytesMin: number
  readonly bytesMax: number
}

/** For receivers that take packets of any length, even none. */
export const anyLength: DamageRange = { bytesMin: 0, bytesMax: Number.POSITIVE_INFINITY }

/**
 * A damaged copy of a packet: bits flipped, the end cut off, or a tail added. The original may be shared
 * with other receivers and stays as it is. Now and then damage undoes itself, such as two flips of one
 * bit: a receiver cannot rely on damage being visible.
 */
export function damage(packet: Uint8Array, rare: Prng, range: DamageRange): Uint8Array {
  const { length } = packet
  const how = rare.below(4)
  if (how === 0) return resize(packet, Math.max(range.bytesMin, rare.below(length + 1)))
  if (how === 1) {
    const longer = resize(packet, Math.min(range.bytesMax, length + 1 + rare.below(32)))
    for (let at = length; at < longer.length; at++) longer[at] = rare.below(256)
    return longer
  }
  const damaged = resize(packet, length)
  if (length === 0) return damaged
  // Bit flips are the commonest damage, and a single one the hardest to notice.
  const flips = how === 2 ? 1 : 1 + rare.below(8)
  for (let flip = 0; flip < flips; flip++) damaged[rare.below(length)]! ^= 1 << rare.below(8)
  return damaged
}

/** A copy of another length. Not `slice`, which on Node's buffers gives a view of the same memory. */
function resize(packet: Uint8Array, length: number): Uint8Array {
  const copy = new Uint8Array(length)
  copy.set(length < packet.length ? packet.subarray(0, length) : packet)
  return copy
}
