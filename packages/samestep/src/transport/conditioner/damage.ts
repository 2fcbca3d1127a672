import type { Prng } from '../../base/prng.ts'
import { copyBytes } from '../../link/copy-bytes.ts'

/**
 * A damaged copy of a packet, with 1 to `bytesMax` bytes: bits flipped, the end cut off, or a tail
 * added. A packet may be shared, so the original stays as it is.
 */
export function damagePacket(packet: Uint8Array, prng: Prng, bytesMax: number): Uint8Array {
  const how = prng.below(4)
  if (how === 0 && packet.length > 1) return copyBytes(packet, 0, 1 + prng.below(packet.length - 1))
  if (how === 1 && packet.length < bytesMax) {
    const size = Math.min(bytesMax, packet.length + 1 + prng.below(32))
    const longer = new Uint8Array(size)
    longer.set(packet)
    for (let at = packet.length; at < size; at++) longer[at] = prng.below(256)
    return longer
  }
  const damaged = copyBytes(packet)
  // Bit flips are the commonest damage, and a single one the hardest to notice.
  const flips = how === 2 ? 1 : 1 + prng.below(8)
  const first = prng.below(damaged.length * 8)
  flip(damaged, first)
  for (let count = 1; count < flips; count++) {
    const next = prng.below(damaged.length * 8)
    // Two flips of one bit are none; the first stays flipped in any case.
    if (next !== first) flip(damaged, next)
  }
  return damaged
}

function flip(bytes: Uint8Array, bit: number): void {
  bytes[bit >> 3]! ^= 1 << (bit & 7)
}
