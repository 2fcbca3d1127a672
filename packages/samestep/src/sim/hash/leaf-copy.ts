/**
 * A copy of all leaves as one run of bytes, made at memory speed in the tick that it is of, to be hashed
 * later or elsewhere:
 *
 *     head | per leaf: u16 labelLength ‖ label ‖ u32 byteLength ‖ canonical bytes
 *
 * Numbers are little-endian. Every length stands before what it counts, so that no two states give the
 * same bytes. Floats are as `HashKernel.normalise` would leave them.
 */
import { canonicaliseWords } from './canonical.ts'
import type { FloatFormat } from './kernel.ts'
import type { LeafSource } from './leaf.ts'
import type { StateMemory } from './memory.ts'

/**
 * Copies `head` and all leaves of `source` into `into`, or into a larger array when that is too small.
 * What is given is the part of it that was written.
 */
export function copyLeaves(
  source: LeafSource,
  memory: StateMemory | undefined,
  head: Uint8Array,
  into: Uint8Array,
): Uint8Array {
  let out = into
  let at = 0
  const reserve = (byteLength: number) => {
    if (at + byteLength <= out.length) return
    const larger = new Uint8Array(Math.max(2 * out.length, at + byteLength, bytesMin))
    larger.set(out.subarray(0, at))
    out = larger
  }
  reserve(head.length)
  out.set(head)
  at = head.length
  source.visitLeaves({
    leaf(label, bytes, start, byteLength, format) {
      const labelLength = label.bytes.length
      reserve(6 + labelLength + byteLength)
      out[at] = labelLength
      out[at + 1] = labelLength >>> 8
      out.set(label.bytes, at + 2)
      at += 2 + labelLength
      out[at] = byteLength
      out[at + 1] = byteLength >>> 8
      out[at + 2] = byteLength >>> 16
      out[at + 3] = byteLength >>> 24
      at += 4
      out.set(bytes.subarray(start, start + byteLength), at)
      const isDone =
        format === 'raw' ||
        (bytes === memory?.bytes && memory.kernel.isCanonical(start, byteLength, format))
      if (!isDone) canonicalise(out, at, byteLength, format)
      at += byteLength
    },
  })
  return out.subarray(0, at)
}

/** A copy lies wherever the labels before it end, so its words are made canonical beside it. */
function canonicalise(out: Uint8Array, at: number, byteLength: number, format: FloatFormat): void {
  const words = new Int32Array(out.slice(at, at + byteLength).buffer)
  canonicaliseWords(words, 0, words.length, format)
  out.set(new Uint8Array(words.buffer), at)
}

/** A small game's whole state; larger ones grow a few times, once. */
const bytesMin = 16_384
