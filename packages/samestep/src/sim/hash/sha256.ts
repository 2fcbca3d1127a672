/**
 * SHA-256, synchronous everywhere: Node's own where it can be reached without an import, otherwise
 * the implementation below. (`crypto.subtle` is asynchronous, and a tick cannot wait.)
 */
import { assert } from '../../base/assert.ts'

/** Bytes of one SHA-256 hash. */
export const sha256Bytes = 32

const blockBytes = 64

/** The SHA-256 of `bytes`. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(sha256Bytes)
  sha256Into(bytes, out, 0)
  return out
}

/** Writes the SHA-256 of `bytes` to the 32 bytes of `out` from `outStart` on. */
export function sha256Into(bytes: Uint8Array, out: Uint8Array, outStart: number): void {
  native ??= findNative()
  if (native.hash === undefined) sha256JsInto(bytes, out, outStart)
  else native.hash(bytes, out, outStart)
}

/** True where {@link sha256} is the platform's own. */
export function isSha256Native(): boolean {
  native ??= findNative()
  return native.hash !== undefined
}

type Hash = (bytes: Uint8Array, out: Uint8Array, outStart: number) => void

let native: { readonly hash: Hash | undefined } | undefined

/** As much of Node as is used, found through the global object so that browsers need no shim. */
interface NodeGlobal {
  readonly process?: {
    getBuiltinModule?(name: string): {
      hash?(algorithm: string, data: Uint8Array, encoding: string): string
    }
  }
}

function findNative(): { readonly hash: Hash | undefined } {
  try {
    const nodeCrypto = (globalThis as NodeGlobal).process?.getBuiltinModule?.('node:crypto')
    const oneShot = nodeCrypto?.hash
    if (oneShot === undefined) return { hash: undefined }
    const hash: Hash = (bytes, out, outStart) => {
      // A string is a fifth of the cost of a Buffer, and two bytes per character are the fewest
      // characters to take apart: 0.28 µs in all for a short input.
      const text = oneShot('sha256', bytes, 'utf16le')
      for (let index = 0; index < sha256Bytes; index += 2) {
        const unit = text.charCodeAt(index >>> 1)
        out[outStart + index] = unit
        out[outStart + index + 1] = unit >>> 8
      }
    }
    // Something that merely looks like Node must prove itself, or every state hash would be wrong.
    const probe = Uint8Array.of(0x61, 0x62, 0x63)
    const theirs = new Uint8Array(sha256Bytes)
    const ours = new Uint8Array(sha256Bytes)
    hash(probe, theirs, 0)
    sha256JsInto(probe, ours, 0)
    return { hash: theirs.every((byte, index) => byte === ours[index]) ? hash : undefined }
  } catch {
    return { hash: undefined }
  }
}

// FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64
// primes. Written out, because a cube root is not exact in every engine.
// biome-ignore format: a table
const roundConstants = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
)

// FIPS 180-4, 5.3.3: the same of the square roots of the first 8 primes.
// biome-ignore format: a table
const startState = Int32Array.of(
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
)

/**
 * A SHA-256 that is computed a slice at a time, without the platform's help: for many bytes on a page
 * that has pictures to draw meanwhile.
 */
export class Sha256Slices {
  readonly #bytes: Uint8Array
  readonly #state = startState.slice()
  #at = 0

  /** `bytes` must not change until all of them are taken in. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Takes in at most so many bytes more; gives the hash with the last of them. */
  advance(byteCount: number): Uint8Array | undefined {
    const bytes = this.#bytes
    const wholeEnd = bytes.length - (bytes.length % blockBytes)
    const blocks = Math.max(Math.floor(byteCount / blockBytes), 1)
    const end = Math.min(this.#at + blocks * blockBytes, wholeEnd)
    state.set(this.#state)
    for (; this.#at < end; this.#at += blockBytes) takeBlock(bytes, this.#at)
    this.#state.set(state)
    if (this.#at < wholeEnd) return undefined
    const out = new Uint8Array(sha256Bytes)
    endInto(bytes, this.#at, out, 0)
    return out
  }
}

// Scratch of one call. Hashing is synchronous, so one set is enough and nothing is allocated.
const state = new Int32Array(8)
const schedule = new Int32Array(64)
const lastBlocks = new Uint8Array(2 * blockBytes)

/** {@link sha256Into} without the platform's help, whatever the platform. */
export function sha256JsInto(bytes: Uint8Array, out: Uint8Array, outStart: number): void {
  assert(outStart + sha256Bytes <= out.length, 'No room for a SHA-256')
  state.set(startState)
  let at = 0
  for (; at + blockBytes <= bytes.length; at += blockBytes) takeBlock(bytes, at)
  endInto(bytes, at, out, outStart)
}

/** Takes in what is left from `at` on, less than a block, and writes the hash. */
function endInto(bytes: Uint8Array, at: number, out: Uint8Array, outStart: number): void {
  const { length } = bytes
  const rest = length - at
  const end = rest < blockBytes - 8 ? blockBytes : 2 * blockBytes
  lastBlocks.fill(0, rest, end)
  for (let index = 0; index < rest; index++) lastBlocks[index] = bytes[at + index]!
  lastBlocks[rest] = 0x80
  // The length in bits, 64 bits wide, most significant byte first.
  writeBigEndian(lastBlocks, end - 8, Math.floor(length / 0x2000_0000))
  writeBigEndian(lastBlocks, end - 4, length << 3)
  for (let block = 0; block < end; block += blockBytes) takeBlock(lastBlocks, block)
  for (let index = 0; index < 8; index++) writeBigEndian(out, outStart + 4 * index, state[index]!)
}

function writeBigEndian(out: Uint8Array, at: number, word: number): void {
  out[at] = word >>> 24
  out[at + 1] = word >>> 16
  out[at + 2] = word >>> 8
  out[at + 3] = word
}

function takeBlock(bytes: Uint8Array, start: number): void {
  expand(schedule, bytes, start)
  compress(state, schedule, roundConstants)
}

/** Extends the 16 words of a block to the 64 of FIPS 180-4, 6.2.2, step 1. */
function expand(words: Int32Array, bytes: Uint8Array, start: number): void {
  for (let index = 0, at = start; index < 16; index++, at += 4) {
    words[index] =
      (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
  }
  for (let index = 16; index < 64; index++) {
    const x = words[index - 15]!
    const y = words[index - 2]!
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    words[index] = words[index - 16]! + s0 + words[index - 7]! + s1
  }
}

/** Takes the expanded block into the state: FIPS 180-4, 6.2.2, steps 2 to 4. */
function compress(state: Int32Array, words: Int32Array, constants: Int32Array): void {
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  for (let index = 0; index < 64; index++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const choice = g ^ (e & (f ^ g))
    const t1 = (h + s1 + choice + constants[index]! + words[index]!) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const majority = (a & b) | (c & (a | b))
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + s0 + majority) | 0
  }
  state[0] = state[0]! + a
  state[1] = state[1]! + b
  state[2] = state[2]! + c
  state[3] = state[3]! + d
  state[4] = state[4]! + e
  state[5] = state[5]! + f
  state[6] = state[6]! + g
  state[7] = state[7]! + h
}
