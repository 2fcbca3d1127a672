/**
 * A packet on datagrams, little-endian:
 *
 *     marks     u8: which bytes of the mask follow (bits 0 to 3), held time follows (4),
 *               acknowledgement follows (5), parts follow (6), a tick message follows (7)
 *     epoch     u16: which conversation between these two addresses this is
 *     number    u16: counts the packets of one direction, low bits
 *     ack       u16: the newest number received from the other side
 *     held      u8: for how many ms it had been there; absent when 0, 255 for any longer time
 *     mask      which of the 32 numbers before it were received, lowest bit nearest; a byte that is
 *               255 is absent, so that a path without loss pays nothing
 *     parts     u8 how many, then each: u16 length of content (bits 0 to 10), last segment of its
 *               message (11), kind (12, 13); then, unless the kind is ping, u16 segment number or
 *               close code; then the content
 *     tick      the rest
 *     checksum  u32, CRC-32 of all bytes before; with other bits for the side that accepted, so that
 *               nobody takes its own echo for an answer
 *
 * A tick on a path without loss carries 7 or 8 bytes of head and 4 of checksum. One packet has one
 * encoding; any other is refused.
 */

/** Bits of the first byte. */
export const marks = {
  maskBytes: 0x0f,
  held: 0x10,
  ack: 0x20,
  parts: 0x40,
  tick: 0x80,
} as const

/** What a part of a packet is. */
export const partKinds = {
  /** A segment of the control lane. */
  control: 0,
  /** A segment of the bulk lane. */
  bulk: 1,
  /** The sender is done; its code follows. */
  close: 2,
  /** Asks for an acknowledgement and says nothing else. */
  ping: 3,
} as const

/** The bits of a part's head. */
export const partLengthMask = 0x07ff
export const partLastMark = 0x0800
export const partKindShift = 12

/** A time that is too long for the held byte: no round trip can be told from it. */
export const heldUnknown = 255

/** Which end of a link this is: who spoke first, or who was spoken to. */
export type LinkSide = 'initiator' | 'acceptor'

/** What is mixed into the checksum of packets from the accepting side. */
const acceptorMark = 0xa5c3_3c5a

/** The bits that the checksums of one side's packets differ by. */
export function checksumMark(side: LinkSide): number {
  return side === 'acceptor' ? acceptorMark : 0
}
