import { crc32 } from '../base/crc32.ts'
import { WireError } from '../base/errors.ts'

/**
 * The frame of a record, without what its entries mean:
 *
 *     head    "SSRC" · version u8 · 3 zero bytes · id 8 bytes · check u32
 *     entry   kind u8 · [match varint] · length varint · so many bytes · check u32
 *     entry   …
 *
 * Each check is the CRC-32 of everything before it, checks excluded: the one of an entry goes on from the
 * one before. So what is lost, doubled, moved, changed or spliced in from another file is noticed at the
 * first entry that it touches. `docs/record.md` has it byte by byte.
 */

/** The version of the format that is written. Older ones are read for ever. */
export const recordVersion = 1

/** Bytes of the head. */
export const headBytes = 20

/** Bytes of the id in the head: random, so that no two files begin alike. */
export const recordIdBytes = 8

/** Bytes of a check. */
export const checkBytes = 4

const magic = [0x53, 0x53, 0x52, 0x43] as const

/** The part of the first byte that is the kind. */
export const kindMask = 0x3f
/** Set when the next entry belongs to the same group: all of a group counts, or nothing. */
export const moreMark = 0x40
/** Set when the number of another match follows; without it the entry is about the same as before. */
export const matchMark = 0x80

/** Bytes of the longest varint: four, with 28 bits. */
export const varintBytesMax = 4

/** What the head of a record says. */
export interface RecordHead {
  readonly version: number
  readonly id: Uint8Array
}

/** The head of a new record. Its last four bytes are the first check. */
export function makeHead(id: Uint8Array): Uint8Array {
  const head = new Uint8Array(headBytes)
  head.set(magic)
  head[4] = recordVersion
  head.set(id.subarray(0, recordIdBytes), 8)
  storeU32(head, headBytes - checkBytes, crc32(head, headBytes - checkBytes))
  return head
}

/**
 * Reads a head, from the beginning of `bytes`.
 *
 * @throws WireError when it is none, or of a version that this library does not know.
 */
export function readHead(bytes: Uint8Array): RecordHead {
  if (magic.some((byte, index) => bytes[index] !== byte)) {
    throw new WireError('SS_WIRE_BAD_MAGIC', 0, 'Cannot read the record: it does not begin as one')
  }
  const version = bytes[4] as number
  if (loadU32(bytes, headBytes - checkBytes) !== crc32(bytes, headBytes - checkBytes)) {
    throw new WireError('SS_WIRE_BAD_CHECKSUM', 0, 'Cannot read the record: its head is damaged')
  }
  if (version === 0 || version > recordVersion) {
    throw new WireError(
      'SS_WIRE_BAD_VERSION',
      4,
      `Cannot read a record of version ${version}: this library reads up to ${recordVersion}`,
    )
  }
  if (bytes[5] !== 0 || bytes[6] !== 0 || bytes[7] !== 0) {
    throw new WireError('SS_WIRE_NOT_CANONICAL', 5, 'Cannot accept a head with unknown marks')
  }
  return { version, id: bytes.slice(8, 8 + recordIdBytes) }
}

/** Appends a varint: seven bits per byte, lowest first, the top bit when more follow. */
export function writeVarint(buffer: Uint8Array, at: number, value: number): number {
  let rest = value
  let place = at
  for (; rest > 0x7f; rest >>>= 7) buffer[place++] = (rest & 0x7f) | 0x80
  buffer[place++] = rest
  return place
}

/** Puts four bytes in place, the lowest first. */
export function storeU32(buffer: Uint8Array, at: number, value: number): void {
  buffer[at] = value
  buffer[at + 1] = value >>> 8
  buffer[at + 2] = value >>> 16
  buffer[at + 3] = value >>> 24
}

/** The number that four bytes are, the lowest first. */
export function loadU32(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0
}
