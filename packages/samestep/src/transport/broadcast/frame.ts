/**
 * What travels on a bus:
 *
 *     mark   u8: b5 in the clear, b6 sealed. Two that differ do not hear each other
 *     kind   u8: hello 1, accept 2, packet 3, ping 4, pong 5, bye 6
 *     to     16 bytes: an id, or zeros for everybody (hello only)
 *     from   16 bytes: an id
 *     body   the rest
 *
 * Ids are 128 random bits, or the beginning of the SHA-256 of a public key: two never meet by chance
 * (T-101). A frame for somebody else is told by comparing a few bytes.
 */
import { assert } from '../../base/assert.ts'
import { decodeUtf8, encodeUtf8 } from '../../base/utf8.ts'
import { datagramBytesMax } from '../../wire/limits.ts'
import { clipReason, reasonBytesMax } from '../closing.ts'
import type { ConnectionEnd } from '../connection.ts'

/** What a frame is. */
export const frameKinds = { hello: 1, accept: 2, packet: 3, ping: 4, pong: 5, bye: 6 } as const

/** The name of a kind. */
export type FrameKind = keyof typeof frameKinds

const kindNames: readonly (FrameKind | undefined)[] = [
  undefined,
  ...(Object.keys(frameKinds) as FrameKind[]),
]

/** Bytes of an id. */
export const idBytes = 16

/** Bytes in front of the body. */
export const headBytes = 2 + 2 * idBytes

/** Bytes of counter and tag that sealing adds. */
export const sealBytes = 6 + 16

/** Bytes of the largest frame. */
export const frameBytesMax = headBytes + sealBytes + datagramBytesMax

/** To whom it may concern. */
export const everybody: Uint8Array = new Uint8Array(idBytes)

const clearMark = 0xb5
const sealedMark = 0xb6

/** The head of a frame. */
export function makeHead(
  kind: FrameKind,
  to: Uint8Array,
  from: Uint8Array,
  isSealed: boolean,
): Uint8Array {
  assert(to.length === idBytes && from.length === idBytes, 'An id has 16 bytes')
  const head = new Uint8Array(headBytes)
  head[0] = isSealed ? sealedMark : clearMark
  head[1] = frameKinds[kind]
  head.set(to, 2)
  head.set(from, 2 + idBytes)
  return head
}

/** Head and body in one. */
export function joinFrame(head: Uint8Array, body: Uint8Array): Uint8Array {
  const frame = new Uint8Array(head.length + body.length)
  frame.set(head)
  frame.set(body, head.length)
  return frame
}

/** The kind of a frame that is meant for `id`, or undefined for any other bytes. */
export function kindFor(
  frame: Uint8Array,
  id: Uint8Array,
  isSealed: boolean,
): FrameKind | undefined {
  if (frame.length < headBytes || frame.length > frameBytesMax) return undefined
  if (frame[0] !== (isSealed ? sealedMark : clearMark) || !hasAt(frame, 2, id)) return undefined
  return kindNames[frame[1]!]
}

/** Whether `frame` was posted, or says it was, by `id`. */
export function isFrom(frame: Uint8Array, id: Uint8Array): boolean {
  return hasAt(frame, 2 + idBytes, id)
}

/** Who says to have posted it. */
export function senderOf(frame: Uint8Array): Uint8Array {
  return frame.slice(2 + idBytes, headBytes)
}

/** What is behind the head. */
export function bodyOf(frame: Uint8Array): Uint8Array {
  return frame.subarray(headBytes)
}

/** An id for people and for maps. */
export function idText(id: Uint8Array): string {
  let text = ''
  for (const byte of id) text += byte.toString(16).padStart(2, '0')
  return text
}

/** The body of a farewell: the code, u16, and the reason. */
export function encodeEnd({ code, reason }: ConnectionEnd): Uint8Array {
  return Uint8Array.of(code, code >>> 8, ...encodeUtf8(clipReason(reason)))
}

/** Reads a farewell. Throws a `WireError` for a reason that is no text; undefined for other nonsense. */
export function decodeEnd(body: Uint8Array): ConnectionEnd | undefined {
  if (body.length < 2 || body.length > 2 + reasonBytesMax) return undefined
  const code = body[0]! | (body[1]! << 8)
  const isCode = code === 1000 || code === 1001 || (code >= 4000 && code <= 4999)
  return isCode ? { code, reason: decodeUtf8(body, 2) } : undefined
}

function hasAt(frame: Uint8Array, at: number, id: Uint8Array): boolean {
  for (let index = 0; index < idBytes; index++) {
    if (frame[at + index] !== id[index]) return false
  }
  return true
}
