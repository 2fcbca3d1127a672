import { encodeUtf8 } from '../../../base/utf8.ts'
import { markBytes } from '../../../record/limits.ts'
import { toHex } from '../../../sim/hash/hex.ts'
import { sha256 } from '../../../sim/hash/sha256.ts'

/** What somebody can be known by. */
export type MarkKind = 'ticket' | 'identity' | 'address'

/**
 * By what somebody is known again who was removed or silenced. It is kept for long and written down, so
 * it is a hash: nobody learns an address or an account from it.
 */
export function personMark(kind: MarkKind, what: string | Uint8Array): string {
  const text = typeof what === 'string' ? what : toHex(what)
  return toHex(sha256(encodeUtf8(`samestep/mark ${kind} ${text}`)).subarray(0, markBytes))
}
