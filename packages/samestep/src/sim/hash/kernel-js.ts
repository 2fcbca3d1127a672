/**
 * The kernel of the sync hash in plain JavaScript, for places where WebAssembly is missing or
 * forbidden. What it computes, and why, stands in `kernel-constants.ts`.
 */
import { areWordsCanonical, canonicaliseWords } from './canonical.ts'
import type { FloatFormat, HashKernel } from './kernel.ts'
import { assertRun, assertStateRun, copyPiece } from './kernel.ts'
import { accumulatorCount, pieceBytes, startWord, stripeBytes } from './kernel-constants.ts'
import type { LeafFormat, LeafLabel } from './leaf.ts'
import { mixLeaf } from './mix.ts'

const startWords = Int32Array.from({ length: accumulatorCount }, (_none, index) => startWord(index))

/** Hashes with 32-bit integer arithmetic; it takes about 9 times as long as copying the bytes. */
export class JsKernel implements HashKernel {
  readonly kind = 'js'
  readonly #bytes: Uint8Array
  readonly #words: Int32Array
  readonly #accumulators = new Int32Array(accumulatorCount)
  readonly #pieceWords = new Int32Array(pieceBytes / 4)
  readonly #pieceBytes = new Uint8Array(this.#pieceWords.buffer)

  /** `buffer` is the state memory; only its first `byteLength` bytes are the state's. */
  constructor(buffer: ArrayBuffer, byteLength: number) {
    this.#bytes = new Uint8Array(buffer, 0, byteLength)
    this.#words = new Int32Array(buffer, 0, byteLength >>> 2)
  }

  leaf(
    label: LeafLabel,
    start: number,
    byteLength: number,
    format: LeafFormat,
    out: Uint32Array,
    outIndex: number,
  ): void {
    assertStateRun(start, byteLength, format, this.#bytes.length)
    this.#begin(label)
    // Raw bytes are hashed where they are, in blocks, so that the second, third and fourth lane
    // find their block in the first-level cache.
    const whole = format === 'raw' ? byteLength - (byteLength % stripeBytes) : 0
    for (let done = 0; done < whole; done += pieceBytes) {
      const from = (start + done) >>> 2
      absorb(
        this.#accumulators,
        this.#words,
        from,
        from + (Math.min(pieceBytes, whole - done) >>> 2),
      )
    }
    this.#takePieces(this.#bytes, start + whole, byteLength - whole, format)
    mixLeaf(this.#accumulators, label.seedLo, label.seedHi, byteLength, out, outIndex)
  }

  leafOfBytes(
    label: LeafLabel,
    bytes: Uint8Array,
    start: number,
    byteLength: number,
    format: LeafFormat,
    out: Uint32Array,
    outIndex: number,
  ): void {
    assertRun(start, byteLength, format, bytes.length)
    this.#begin(label)
    this.#takePieces(bytes, start, byteLength, format)
    mixLeaf(this.#accumulators, label.seedLo, label.seedHi, byteLength, out, outIndex)
  }

  normalise(start: number, byteLength: number, format: FloatFormat): void {
    assertStateRun(start, byteLength, format, this.#bytes.length)
    canonicaliseWords(this.#words, start >>> 2, (start + byteLength) >>> 2, format)
  }

  isCanonical(start: number, byteLength: number, format: FloatFormat): boolean {
    assertStateRun(start, byteLength, format, this.#bytes.length)
    return areWordsCanonical(this.#words, start >>> 2, (start + byteLength) >>> 2, format)
  }

  #begin(label: LeafLabel): void {
    for (let index = 0; index < accumulatorCount; index++) {
      const seed = (index & 4) === 0 ? label.seedLo : label.seedHi
      this.#accumulators[index] = startWords[index]! + seed
    }
  }

  /** Copies a run piece by piece, pads the last with zeros, makes floats canonical, absorbs. */
  #takePieces(bytes: Uint8Array, start: number, byteLength: number, format: LeafFormat): void {
    for (let done = 0; done < byteLength; done += pieceBytes) {
      const length = Math.min(pieceBytes, byteLength - done)
      const padded = Math.ceil(length / stripeBytes) * stripeBytes
      copyPiece(this.#pieceBytes, 0, bytes, start + done, length)
      this.#pieceBytes.fill(0, length, padded)
      if (format !== 'raw') canonicaliseWords(this.#pieceWords, 0, padded >>> 2, format)
      absorb(this.#accumulators, this.#pieceWords, 0, padded >>> 2)
    }
  }
}

/** Takes the whole stripes in `words[start]` … `words[end - 1]` into the accumulators. */
function absorb(accumulators: Int32Array, words: Int32Array, start: number, end: number): void {
  for (let lane = 0; lane < 4; lane++) absorbLane(accumulators, words, start, end, lane)
}

// Unrolled by hand: in locals the eight accumulators stay in registers, which halves the time. The
// multipliers and the shift are written out instead of named, because an engine does not always see
// that a name from outside is constant: then it loads them, and the loop takes up to 1.6 times as
// long. A test compares this kernel with the other, which is built from the names.
function absorbLane(
  accumulators: Int32Array,
  words: Int32Array,
  start: number,
  end: number,
  lane: number,
): void {
  let a0 = accumulators[lane]!
  let a1 = accumulators[lane + 4]!
  let a2 = accumulators[lane + 8]!
  let a3 = accumulators[lane + 12]!
  let a4 = accumulators[lane + 16]!
  let a5 = accumulators[lane + 20]!
  let a6 = accumulators[lane + 24]!
  let a7 = accumulators[lane + 28]!
  let x = 0
  for (let index = start + lane; index < end; index += 32) {
    x = a0 ^ words[index]!
    a0 = (Math.imul(x ^ (x >>> 15), 0x9e3779b1) + a7) | 0
    x = a1 ^ words[index + 4]!
    a1 = (Math.imul(x ^ (x >>> 15), 0x85ebca6b) + a0) | 0
    x = a2 ^ words[index + 8]!
    a2 = (Math.imul(x ^ (x >>> 15), 0x9e3779b1) + a1) | 0
    x = a3 ^ words[index + 12]!
    a3 = (Math.imul(x ^ (x >>> 15), 0x85ebca6b) + a2) | 0
    x = a4 ^ words[index + 16]!
    a4 = (Math.imul(x ^ (x >>> 15), 0x9e3779b1) + a3) | 0
    x = a5 ^ words[index + 20]!
    a5 = (Math.imul(x ^ (x >>> 15), 0x85ebca6b) + a4) | 0
    x = a6 ^ words[index + 24]!
    a6 = (Math.imul(x ^ (x >>> 15), 0x9e3779b1) + a5) | 0
    x = a7 ^ words[index + 28]!
    a7 = (Math.imul(x ^ (x >>> 15), 0x85ebca6b) + a6) | 0
  }
  accumulators[lane] = a0
  accumulators[lane + 4] = a1
  accumulators[lane + 8] = a2
  accumulators[lane + 12] = a3
  accumulators[lane + 16] = a4
  accumulators[lane + 20] = a5
  accumulators[lane + 24] = a6
  accumulators[lane + 28] = a7
}
