/**
 * The two hashes of a state as values. Both are hexadecimal text, so they can be compared, printed
 * and used as keys; their brands keep them apart: 64 bits against accidents never stand where 256
 * bits against lies are needed.
 */
import { assert } from '../../base/assert.ts'
import { fromHex, toHex } from './hex.ts'

declare const syncBrand: unique symbol
declare const stateBrand: unique symbol

/** A 64-bit hash: 16 hexadecimal digits, the high word first. It detects accidents but proves nothing. */
export type SyncHash = string & { readonly [syncBrand]: true }

/** A SHA-256 hash: 64 hexadecimal digits. Used for what is signed, sent to joiners or judged. */
export type StateHash = string & { readonly [stateBrand]: true }

const statePattern = /^[0-9a-f]{64}$/

/** The sync hash of these two words. */
export function syncHashFromWords(lo: number, hi: number): SyncHash {
  return (hexOfWord(hi) + hexOfWord(lo)) as SyncHash
}

/** The state hash in the 32 bytes of `bytes` from `start` on. */
export function stateHashFromBytes(bytes: Uint8Array, start = 0): StateHash {
  assert(start >= 0 && start + 32 <= bytes.length, 'A state hash has 32 bytes')
  return toHex(bytes.subarray(start, start + 32)) as StateHash
}

/** The 32 bytes of a state hash. */
export function stateHashToBytes(hash: StateHash): Uint8Array {
  return fromHex(hash)
}

/** Whether `text` is a state hash in its only legal spelling. */
export function isStateHash(text: unknown): text is StateHash {
  return typeof text === 'string' && statePattern.test(text)
}

function hexOfWord(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0')
}
