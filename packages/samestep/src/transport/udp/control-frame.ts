/**
 * What the two ends of a session tell each other, encrypted like everything else.
 *
 *     00                        here I am
 *     01 data(8)                say this again, from where you got it
 *     02 data(8)                as you asked
 *     03 code(u16) reason       goodbye
 */
import { decodeUtf8, encodeUtf8 } from '../../base/utf8.ts'
import { reasonBytesMax } from '../closing.ts'
import type { ConnectionEnd } from '../connection.ts'
import { pathChallengeBytes } from './limits.ts'

/** One control frame. */
export type ControlFrame =
  | { readonly type: 'here' }
  | { readonly type: 'path-challenge'; readonly data: Uint8Array }
  | { readonly type: 'path-response'; readonly data: Uint8Array }
  | { readonly type: 'goodbye'; readonly end: ConnectionEnd }

const kinds = { here: 0, 'path-challenge': 1, 'path-response': 2, goodbye: 3 } as const

/** The bytes of a frame. */
export function writeFrame(frame: ControlFrame): Uint8Array {
  const kind = kinds[frame.type]
  switch (frame.type) {
    case 'here':
      return Uint8Array.of(kind)
    case 'path-challenge':
    case 'path-response':
      return Uint8Array.of(kind, ...frame.data)
    case 'goodbye': {
      const { code, reason } = frame.end
      return Uint8Array.of(kind, code & 0xff, code >>> 8, ...encodeUtf8(reason))
    }
  }
}

/** Reads a frame; `undefined` for bytes that {@link writeFrame} would not have made. */
export function readFrame(bytes: Uint8Array): ControlFrame | undefined {
  switch (bytes[0]) {
    case kinds.here:
      return bytes.length === 1 ? { type: 'here' } : undefined
    case kinds['path-challenge']:
    case kinds['path-response']: {
      if (bytes.length !== 1 + pathChallengeBytes) return undefined
      const type = bytes[0] === kinds['path-challenge'] ? 'path-challenge' : 'path-response'
      return { type, data: bytes.slice(1) }
    }
    case kinds.goodbye:
      return readGoodbye(bytes)
    default:
      return undefined
  }
}

function readGoodbye(bytes: Uint8Array): ControlFrame | undefined {
  if (bytes.length < 3 || bytes.length > 3 + reasonBytesMax) return undefined
  const code = bytes[1]! | (bytes[2]! << 8)
  if (code !== 1000 && (code < 4000 || code > 4999)) return undefined
  try {
    return { type: 'goodbye', end: { code, reason: decodeUtf8(bytes, 3) } }
  } catch {
    // Not UTF-8.
    return undefined
  }
}
