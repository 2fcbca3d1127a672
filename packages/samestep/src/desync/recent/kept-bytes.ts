import { WireError } from '../../base/errors.ts'
import type { KeptState } from './snapshot-ring.ts'

/**
 * A kept state as bytes, with the words that go with it:
 *
 *     u32 words | words, u32 each | snapshot
 *
 * All in little-endian. The tick is told beside it.
 */
export function packKept({ snapshot, words }: Omit<KeptState, 'tick'>): Uint8Array {
  const headBytes = 4 + 4 * words.length
  const bytes = new Uint8Array(headBytes + snapshot.byteLength)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, words.length, true)
  words.forEach((word, index) => {
    view.setUint32(4 + 4 * index, word, true)
  })
  bytes.set(snapshot, headBytes)
  return bytes
}

/**
 * The same read again. `wordCount` is how many words a state of the match has.
 *
 * @throws WireError for bytes with other words. What the snapshot holds is checked by whoever loads it.
 */
export function unpackKept(tick: number, bytes: Uint8Array, wordCount: number): KeptState {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const headBytes = 4 + 4 * wordCount
  if (bytes.byteLength < headBytes || view.getUint32(0, true) !== wordCount) {
    throw new WireError('SS_WIRE_MISMATCH', 0, `A state without ${wordCount} words beside it`)
  }
  const words = Uint32Array.from({ length: wordCount }, (_, index) =>
    view.getUint32(4 + 4 * index, true),
  )
  // A copy of its own: the cells of a raw snapshot begin on multiples of 64.
  return { tick, words, snapshot: bytes.slice(headBytes) }
}
