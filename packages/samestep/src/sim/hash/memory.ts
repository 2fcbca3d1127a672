import { UsageError } from '../../base/errors.ts'
import { stateBytesMax } from '../limits.ts'
import type { HashKernel } from './kernel.ts'
import { kernelBytes, stripeBytes } from './kernel-constants.ts'
import { JsKernel } from './kernel-js.ts'
import { loadWasmKernel } from './kernel-loader.ts'

/**
 * The memory that holds every table column of one simulation, with the kernel that hashes it in
 * place. Sized once: growing would detach every column's typed array.
 */
export interface StateMemory {
  /** The memory from its first byte to the end of what the state may use. */
  readonly bytes: Uint8Array
  /** The same memory for typed arrays; a little longer than {@link bytes}. */
  readonly buffer: ArrayBuffer
  /** All of it in words. */
  readonly words: Int32Array
  readonly kernel: HashKernel
  /** Offset of the first byte that the state may use; a multiple of 128. The kernel owns the rest. */
  readonly dataStart: number
}

/** How a state memory is made. */
export interface StateMemoryOptions {
  /**
   * `'auto'` (default) takes WebAssembly where it can be had and JavaScript otherwise: both give the
   * same hashes. `'wasm'` and `'js'` insist.
   */
  readonly kernel?: 'auto' | 'wasm' | 'js'
}

/**
 * Makes a state memory with `byteLength` usable bytes, all zero, behind `dataStart`.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a length outside 0 … {@link stateBytesMax}, or if
 * `kernel` is `'wasm'` and WebAssembly with SIMD is not to be had here.
 */
export function createStateMemory(
  byteLength: number,
  options: StateMemoryOptions = {},
): StateMemory {
  if (!Number.isInteger(byteLength) || byteLength < 0 || byteLength > stateBytesMax) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot make a state memory: its length is ${byteLength} bytes; it must be 0 to ${stateBytesMax}`,
    )
  }
  const choice = options.kernel ?? 'auto'
  const stateEnd = kernelBytes + byteLength
  // The kernel reads whole stripes and masks what lies behind the end, so a stripe must follow.
  const total = stateEnd + stripeBytes
  const wasm = choice === 'js' ? undefined : loadWasmKernel(total, stateEnd)
  if (wasm === undefined && choice === 'wasm') {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      "Cannot make a state memory: kernel is 'wasm', but WebAssembly with SIMD is not available here; it must be 'auto' or 'js'",
    )
  }
  const buffer = wasm?.buffer ?? new ArrayBuffer(total)
  return {
    bytes: new Uint8Array(buffer, 0, stateEnd),
    buffer,
    words: new Int32Array(buffer, 0, total >>> 2),
    kernel: wasm?.kernel ?? new JsKernel(buffer, stateEnd),
    dataStart: kernelBytes,
  }
}
