/**
 * Brings the WebAssembly kernel to life. Compiled once, synchronously: the module is under 4 KB,
 * the most that a browser compiles synchronously on its main thread.
 */
import type { FloatFormat, HashKernel } from './kernel.ts'
import { assertRun, assertStateRun, copyPiece } from './kernel.ts'
import { pieceBytes, pieceOffset, resultOffset } from './kernel-constants.ts'
import { kernelBase64 } from './kernel-wasm.ts'
import type { LeafFormat, LeafLabel } from './leaf.ts'

/** As much of the WebAssembly interface as is used: the language's own library does not name it. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Memory: new (size: {
    readonly initial: number
    readonly maximum: number
  }) => { readonly buffer: ArrayBuffer }
  readonly Instance: new (
    module: object,
    imports: { readonly state: { readonly memory: object } },
  ) => { readonly exports: unknown }
}

/** What `tools/build-kernel.ts` exports. All arguments are words; pointers are byte offsets. */
interface KernelExports {
  begin(seedLo: number, seedHi: number): void
  absorb(pointer: number, byteLength: number, format: number): void
  finish(
    pointer: number,
    byteLength: number,
    format: number,
    totalBytes: number,
    seedLo: number,
    seedHi: number,
  ): void
  leaf(pointer: number, byteLength: number, format: number, seedLo: number, seedHi: number): void
  normaliseF32(pointer: number, byteLength: number): void
  normaliseF64(pointer: number, byteLength: number): void
  isCanonicalF32(pointer: number, byteLength: number): number
  isCanonicalF64(pointer: number, byteLength: number): number
}

const wasmPageBytes = 65_536

function formatNumber(format: LeafFormat): number {
  return format === 'raw' ? 0 : format === 'f32' ? 1 : 2
}

/** `undefined` until first asked for, then the module, or null where it cannot be had. */
let compiled: object | null | undefined

function compileKernel(api: WebAssemblyApi): object | null {
  if (compiled === undefined) {
    try {
      compiled = new api.Module(decodeBase64(kernelBase64))
    } catch {
      // No SIMD, or a content security policy without 'wasm-unsafe-eval'.
      compiled = null
    }
  }
  return compiled
}

/**
 * A memory of at least `byteLength` bytes that never grows, with the WebAssembly kernel inside; or
 * `undefined` where WebAssembly, SIMD or that much memory is not to be had.
 */
export function loadWasmKernel(
  byteLength: number,
  stateEnd: number,
): { readonly buffer: ArrayBuffer; readonly kernel: HashKernel } | undefined {
  const api = (globalThis as { readonly WebAssembly?: WebAssemblyApi }).WebAssembly
  if (api === undefined) return undefined
  const module = compileKernel(api)
  if (module === null) return undefined
  try {
    const pages = Math.ceil(byteLength / wasmPageBytes)
    const memory = new api.Memory({ initial: pages, maximum: pages })
    const instance = new api.Instance(module, { state: { memory } })
    const kernel = new WasmKernel(instance.exports as KernelExports, memory.buffer, stateEnd)
    return { buffer: memory.buffer, kernel }
  } catch {
    // Engines reserve gigabytes of addresses around each memory, and a process with very many
    // matches runs out of them; a plain buffer of the same size is still to be had then.
    return undefined
  }
}

class WasmKernel implements HashKernel {
  readonly kind = 'wasm'
  readonly #exports: KernelExports
  readonly #bytes: Uint8Array
  readonly #result: Uint32Array
  readonly #stateEnd: number

  constructor(exports: KernelExports, buffer: ArrayBuffer, stateEnd: number) {
    this.#exports = exports
    this.#bytes = new Uint8Array(buffer)
    this.#result = new Uint32Array(buffer, resultOffset, 2)
    this.#stateEnd = stateEnd
  }

  leaf(
    label: LeafLabel,
    start: number,
    byteLength: number,
    format: LeafFormat,
    out: Uint32Array,
    outIndex: number,
  ): void {
    assertStateRun(start, byteLength, format, this.#stateEnd)
    this.#exports.leaf(start, byteLength, formatNumber(format), label.seedLo, label.seedHi)
    out[outIndex] = this.#result[0]!
    out[outIndex + 1] = this.#result[1]!
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
    const exports = this.#exports
    const number = formatNumber(format)
    exports.begin(label.seedLo, label.seedHi)
    let done = 0
    for (; byteLength - done > pieceBytes; done += pieceBytes) {
      copyPiece(this.#bytes, pieceOffset, bytes, start + done, pieceBytes)
      exports.absorb(pieceOffset, pieceBytes, number)
    }
    const rest = byteLength - done
    copyPiece(this.#bytes, pieceOffset, bytes, start + done, rest)
    exports.finish(pieceOffset, rest, number, byteLength, label.seedLo, label.seedHi)
    out[outIndex] = this.#result[0]!
    out[outIndex + 1] = this.#result[1]!
  }

  normalise(start: number, byteLength: number, format: FloatFormat): void {
    assertStateRun(start, byteLength, format, this.#stateEnd)
    if (format === 'f32') this.#exports.normaliseF32(start, byteLength)
    else this.#exports.normaliseF64(start, byteLength)
  }

  isCanonical(start: number, byteLength: number, format: FloatFormat): boolean {
    assertStateRun(start, byteLength, format, this.#stateEnd)
    const isCanonical =
      format === 'f32' ? this.#exports.isCanonicalF32 : this.#exports.isCanonicalF64
    return isCanonical(start, byteLength) !== 0
  }
}

const base64Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Decodes our own constant, so it checks nothing. `atob` is not part of the language. */
function decodeBase64(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
  let bits = 0
  let at = 0
  for (let index = 0; index < text.length; index++) {
    bits = (bits << 6) | base64Letters.indexOf(text.charAt(index))
    // After the 2nd, 3rd and 4th digit of four another byte is complete.
    if (index % 4 !== 0) bytes[at++] = bits >>> (6 - 2 * (index % 4))
  }
  return bytes
}
