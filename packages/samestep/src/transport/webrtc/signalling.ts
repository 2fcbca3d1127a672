/**
 * What two peers tell each other before they have a connection, and the pipe that carries it.
 *
 *     offer      01, u16 bytes of description, description, proof (the rest, may be empty)
 *     answer     02, the same
 *     candidate  03, u8 bytes of section name, section name, candidate (the rest)
 *     done       04: the lanes are open; nothing follows
 *
 * Little-endian, texts in UTF-8. One message has one encoding; any other is refused.
 */
import { assert } from '../../base/assert.ts'
import { copyBytes } from '../../base/copy-bytes.ts'
import { WireError } from '../../base/errors.ts'
import { decodeUtf8, encodeUtf8 } from '../../base/utf8.ts'
import {
  candidateBytesMax,
  descriptionBytesMax,
  midBytesMax,
  proofBytesMax,
  signallingBytesMax,
} from './limits.ts'
import type { DescriptionKind } from './peer.ts'

/** One message of signalling. */
export type SignallingMessage =
  | {
      readonly type: DescriptionKind
      readonly sdp: string
      /** What {@link FingerprintProof} made of the fingerprint; empty without one. */
      readonly proof: Uint8Array
    }
  | { readonly type: 'candidate'; readonly candidate: string; readonly mid: string }
  | { readonly type: 'done' }

/** Whatever carries messages both ways, in sequence: a WebSocket, a chat, another match's orders. */
export interface SignallingPipe {
  /** Tells who hears of messages. Called once; what came before waits. */
  open(handler: SignallingHandler): void
  /** Sends, or keeps it until the pipe can. After the end it does nothing. */
  send(message: Uint8Array): void
  /** Nothing more will be said. `handleClosed` is not called. */
  close(): void
}

/** Who hears of a pipe. */
export interface SignallingHandler {
  /** `bytes` are lent for the call. A stranger's: anything may be in them. */
  handleMessage(bytes: Uint8Array): void
  /** The other side closed it, or it broke. */
  handleClosed(reason: string): void
}

const kinds = { offer: 1, answer: 2, candidate: 3, done: 4 } as const

/** The bytes of a message. */
export function encodeSignalling(message: SignallingMessage): Uint8Array {
  switch (message.type) {
    case 'done':
      return Uint8Array.of(kinds.done)
    case 'candidate': {
      const mid = encodeUtf8(message.mid)
      const candidate = encodeUtf8(message.candidate)
      assert(mid.length <= midBytesMax && candidate.length <= candidateBytesMax, 'A long candidate')
      return join(Uint8Array.of(kinds.candidate, mid.length), mid, candidate)
    }
    default: {
      const sdp = encodeUtf8(message.sdp)
      assert(sdp.length <= descriptionBytesMax, `A description of ${sdp.length} bytes`)
      assert(message.proof.length <= proofBytesMax, `A proof of ${message.proof.length} bytes`)
      const head = Uint8Array.of(kinds[message.type], sdp.length, sdp.length >>> 8)
      return join(head, sdp, message.proof)
    }
  }
}

/**
 * Reads a message.
 *
 * @throws WireError for bytes that {@link encodeSignalling} does not write.
 */
export function decodeSignalling(bytes: Uint8Array): SignallingMessage {
  if (bytes.length > signallingBytesMax) fail('SS_WIRE_TOO_LARGE', 0, `${bytes.length} bytes`)
  switch (bytes[0]) {
    case kinds.offer:
      return readDescription('offer', bytes)
    case kinds.answer:
      return readDescription('answer', bytes)
    case kinds.candidate:
      return readCandidate(bytes)
    case kinds.done:
      if (bytes.length > 1) fail('SS_WIRE_TRAILING_BYTES', 1, 'bytes behind its end')
      return { type: 'done' }
    case undefined:
      return fail('SS_WIRE_TRUNCATED', 0, 'no byte')
    default:
      return fail('SS_WIRE_UNKNOWN', 0, `the unknown kind ${bytes[0]}`)
  }
}

function readDescription(type: DescriptionKind, bytes: Uint8Array): SignallingMessage {
  if (bytes.length < 3) fail('SS_WIRE_TRUNCATED', bytes.length, 'no length')
  const size = bytes[1]! | (bytes[2]! << 8)
  if (size > descriptionBytesMax) fail('SS_WIRE_TOO_LARGE', 1, `a description of ${size} bytes`)
  const end = 3 + size
  if (end > bytes.length) fail('SS_WIRE_TRUNCATED', bytes.length, 'half a description')
  if (bytes.length - end > proofBytesMax) {
    fail('SS_WIRE_TOO_LARGE', end, `a proof of ${bytes.length - end} bytes`)
  }
  return { type, sdp: decodeUtf8(bytes, 3, end), proof: copyBytes(bytes, end) }
}

function readCandidate(bytes: Uint8Array): SignallingMessage {
  const size = bytes[1]
  if (size === undefined || 2 + size > bytes.length) {
    return fail('SS_WIRE_TRUNCATED', bytes.length, 'half a section name')
  }
  if (size > midBytesMax) fail('SS_WIRE_TOO_LARGE', 1, `a section name of ${size} bytes`)
  const end = 2 + size
  if (bytes.length - end > candidateBytesMax) {
    fail('SS_WIRE_TOO_LARGE', end, `a candidate of ${bytes.length - end} bytes`)
  }
  return { type: 'candidate', mid: decodeUtf8(bytes, 2, end), candidate: decodeUtf8(bytes, end) }
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function fail(code: WireError['code'], offset: number, what: string): never {
  throw new WireError(code, offset, `Cannot read a signalling message: it has ${what}`)
}
