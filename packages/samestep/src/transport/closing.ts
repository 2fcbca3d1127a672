/** What every transport does alike with the arguments of `close` and `send`. */
import { assert } from '../base/assert.ts'
import type { Connection, ConnectionEnd } from './connection.ts'

/** Bytes of UTF-8 that a close frame of WebSocket has for its reason. Other transports keep to it. */
export const reasonBytesMax = 123

/** What `close` was given, checked and cut to what travels. */
export function makeEnd(code: number, reason: string): ConnectionEnd {
  assert(
    code === 1000 || (Number.isInteger(code) && code >= 4000 && code <= 4999),
    `A connection is closed with 1000 or with 4000 to 4999, not with ${code}`,
  )
  return { code, reason: clipReason(reason) }
}

/** The longest beginning of `reason` that fits, in whole characters; stray surrogates become U+FFFD. */
export function clipReason(reason: string): string {
  let bytes = 0
  let clipped = ''
  for (const character of reason) {
    const point = character.codePointAt(0)!
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x1_0000 ? 3 : 4
    if (bytes > reasonBytesMax) break
    clipped += point >= 0xd800 && point <= 0xdfff ? '\ufffd' : character
  }
  return clipped
}

/** Asserts that a packet has a size that the connection takes. */
export function assertPacketSize(packet: Uint8Array, connection: Connection): void {
  const { packetBytesMax } = connection
  if (packet.length > 0 && packet.length <= packetBytesMax) return
  // The sentence is made only when it is needed: this runs for every packet.
  assert(false, `A packet has 1 to ${packetBytesMax} bytes, not ${packet.length}`)
}
