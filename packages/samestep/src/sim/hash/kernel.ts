import { assert } from '../../base/assert.ts'
import { kernelBytes, pieceBytes } from './kernel-constants.ts'
import type { LeafFormat, LeafLabel } from './leaf.ts'

/** The formats whose cells have more than one pattern for one value. */
export type FloatFormat = Exclude<LeafFormat, 'raw'>

/**
 * Hashes runs of bytes for the sync hash. There are two, one in WebAssembly and one in plain
 * JavaScript; both give the same bits.
 *
 * Runs of floats hold whole cells. Runs inside the state memory start at a multiple of 4.
 */
export interface HashKernel {
  /** Which of the two it is, for logs and benchmarks. */
  readonly kind: 'wasm' | 'js'
  /**
   * Writes the 64-bit hash of `byteLength` bytes of the state memory to `out[outIndex]` (low word)
   * and `out[outIndex + 1]`. The state is only read; floats are hashed as if they were normalised.
   */
  leaf(
    label: LeafLabel,
    start: number,
    byteLength: number,
    format: LeafFormat,
    out: Uint32Array,
    outIndex: number,
  ): void
  /** The same for bytes that are not in the state memory. They are copied in pieces. */
  leafOfBytes(
    label: LeafLabel,
    bytes: Uint8Array,
    start: number,
    byteLength: number,
    format: LeafFormat,
    out: Uint32Array,
    outIndex: number,
  ): void
  /**
   * Makes every float of a run canonical, in place: each NaN becomes the one quiet NaN, `-0`
   * becomes `0`. Which NaN an engine stores is its own choice, so bits may differ where values
   * do not; after this, equal values have equal bits.
   */
  normalise(start: number, byteLength: number, format: FloatFormat): void
  /** Whether {@link normalise} would change nothing. */
  isCanonical(start: number, byteLength: number, format: FloatFormat): boolean
}

/** Bytes of one cell of a float format; 1 for raw bytes, which have no cells. */
export function cellBytes(format: LeafFormat): number {
  return format === 'f64' ? 8 : format === 'f32' ? 4 : 1
}

/** Asserts that a run lies within `limit` bytes and holds whole cells. */
export function assertRun(
  start: number,
  byteLength: number,
  format: LeafFormat,
  limit: number,
): void {
  assert(start >= 0 && byteLength >= 0 && start + byteLength <= limit, 'A run leaves its memory')
  assert(byteLength % cellBytes(format) === 0, 'A run of floats ends inside a cell')
}

/** Asserts the same of a run in the state memory, and that it is aligned and not the kernel's own. */
export function assertStateRun(
  start: number,
  byteLength: number,
  format: LeafFormat,
  stateEnd: number,
): void {
  assertRun(start, byteLength, format, stateEnd)
  assert(start >= kernelBytes, "A run reaches into the kernel's own memory")
  // WebAssembly would not mind; with it alone, a mistake would show only where it is missing.
  assert(start % 4 === 0, 'A run in the state memory is not aligned')
}

/** Below this a loop is faster than making a subarray, and it leaves no garbage. */
const loopBytesMax = 64

/** Copies one piece of a run, `length` ≤ {@link pieceBytes} bytes, to `target[targetStart]`. */
export function copyPiece(
  target: Uint8Array,
  targetStart: number,
  source: Uint8Array,
  start: number,
  length: number,
): void {
  assert(length <= pieceBytes, 'A piece is too long')
  if (length <= loopBytesMax) {
    for (let index = 0; index < length; index++)
      target[targetStart + index] = source[start + index]!
  } else if (start === 0 && length === source.length) {
    target.set(source, targetStart)
  } else {
    target.set(source.subarray(start, start + length), targetStart)
  }
}
