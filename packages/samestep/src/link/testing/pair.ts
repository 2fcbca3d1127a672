import { DatagramChannel } from '../datagram/datagram-channel.ts'
import type { DatagramOptions } from '../datagram/datagram-options.ts'
import { LinkWorld } from './link-world.ts'

/** A world with two datagram channels that belong together. */
export function datagramWorld(
  seed: number,
  options: Partial<DatagramOptions> = {},
): LinkWorld<DatagramChannel> {
  return new LinkWorld(seed, (end, nowMs) => {
    const side = end === 'a' ? 'initiator' : 'acceptor'
    return new DatagramChannel({ epoch: 7, side, ...options }, nowMs)
  })
}

/** A message that tells its place: the number in four bytes, then a pattern that depends on it. */
export function numbered(number: number, size = 8): Uint8Array {
  const bytes = new Uint8Array(Math.max(size, 5))
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = at < 4 ? number >>> (8 * at) : number * 31 + at * 7
  }
  return bytes
}
