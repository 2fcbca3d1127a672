/**
 * What the hashes compute, for comparison between engines: both kernels where WebAssembly exists,
 * under the same names, because they must not differ either; and SHA-256 without the platform.
 */
import type { HashKernel } from '../../src/sim/hash/kernel.ts'
import { makeLabel } from '../../src/sim/hash/label.ts'
import type { LeafFormat, LeafSource } from '../../src/sim/hash/leaf.ts'
import type { StateMemory } from '../../src/sim/hash/memory.ts'
import { createStateMemory } from '../../src/sim/hash/memory.ts'
import { sha256JsInto } from '../../src/sim/hash/sha256.ts'
import { buildStateTree, SyncTree, syncHashFromWords } from '../../src/sim/hash/tree.ts'
import type { Digest } from './index.ts'

const formats: readonly LeafFormat[] = ['raw', 'f32', 'f64']
const runBytes = 65_536

/** Every length of a few stripes, some around a piece of the kernel, and a whole memory. */
const lengths = [
  ...Array.from({ length: 400 }, (_none, index) => index),
  16_376,
  16_384,
  16_392,
  40_000,
  runBytes,
]

/** Bytes that hold all kinds of floats: ordinary, infinite, NaN of many patterns, both zeros. */
function fillMemory(memory: StateMemory): void {
  const words = new Uint32Array(memory.buffer, memory.dataStart, runBytes / 4)
  const special = [0, 0x80000000, 0x7fc00000, 0xffc12345, 0x7f800000, 0x7ff00000, 0xfff80001, 1]
  for (let index = 0; index < words.length; index++) {
    const noise = Math.imul(index + 1, 0x9e3779b1)
    words[index] = noise >>> 28 < 5 ? (special[(noise >>> 8) & 7] as number) : noise
  }
}

/** Folds many hashes into one. */
class Folder {
  readonly #words = new Uint32Array(2)

  add(lo: number, hi: number): void {
    this.#words[0] = Math.imul((this.#words[0] as number) ^ lo, 16777619)
    this.#words[1] =
      Math.imul((this.#words[1] as number) ^ hi, 16777619) + (this.#words[0] as number)
  }

  digest(): string {
    return syncHashFromWords(this.#words[0] as number, this.#words[1] as number)
  }
}

function leafDigest(memory: StateMemory, format: LeafFormat, outside: boolean): string {
  const label = makeLabel('units/x/0')
  const kernel: HashKernel = memory.kernel
  const start = memory.dataStart
  const out = new Uint32Array(2)
  const folder = new Folder()
  for (const length of lengths) {
    const whole = format === 'raw' ? length : length - (length % 8)
    if (outside) kernel.leafOfBytes(label, memory.bytes, start, whole, format, out, 0)
    else kernel.leaf(label, start, whole, format, out, 0)
    folder.add(out[0] as number, out[1] as number)
  }
  return folder.digest()
}

function normalisedDigest(memory: StateMemory, format: 'f32' | 'f64'): string {
  const { kernel, dataStart } = memory
  const before = kernel.isCanonical(dataStart, runBytes, format)
  kernel.normalise(dataStart, runBytes, format)
  const after = kernel.isCanonical(dataStart, runBytes, format)
  const digest = leafDigest(memory, 'raw', false)
  fillMemory(memory)
  return `${digest} ${before} ${after}`
}

/** Blocks of the memory as leaves of all formats. */
function sourceOf(memory: StateMemory): LeafSource {
  const labels = Array.from({ length: 21 }, (_none, index) => makeLabel(`units/größe${index}/0`))
  return {
    visitLeaves(visitor) {
      labels.forEach((label, index) => {
        const start = memory.dataStart + 1024 * index
        visitor.leaf(label, memory.bytes, start, 1000, formats[index % 3] as LeafFormat)
      })
    },
  }
}

function kernelDigests(memory: StateMemory): Digest[] {
  fillMemory(memory)
  const tree = new SyncTree()
  tree.update(sourceOf(memory), memory)
  return [
    ...formats.map((format) => ({
      name: `sync leaf ${format}`,
      digest: leafDigest(memory, format, false),
    })),
    ...formats.map((format) => ({
      name: `sync leaf ${format}, from outside`,
      digest: leafDigest(memory, format, true),
    })),
    { name: 'normalise f32', digest: normalisedDigest(memory, 'f32') },
    { name: 'normalise f64', digest: normalisedDigest(memory, 'f64') },
    { name: 'sync tree', digest: tree.root },
    { name: 'state tree', digest: buildStateTree(sourceOf(memory), memory).root },
  ]
}

function sha256Digest(): Digest {
  const memory = createStateMemory(runBytes, { kernel: 'js' })
  fillMemory(memory)
  const out = new Uint8Array(32)
  const folder = new Folder()
  for (const length of lengths) {
    sha256JsInto(memory.bytes.subarray(memory.dataStart, memory.dataStart + length), out, 0)
    const view = new DataView(out.buffer)
    for (let at = 0; at < 32; at += 8) folder.add(view.getUint32(at), view.getUint32(at + 4))
  }
  return { name: 'SHA-256 in JavaScript', digest: folder.digest() }
}

/** Computes them in this engine; throws if its two kernels disagree, or its SHA-256 is wrong. */
export function hashDigests(): Digest[] {
  const digests = kernelDigests(createStateMemory(runBytes, { kernel: 'js' }))
  const best = createStateMemory(runBytes)
  if (best.kernel.kind === 'wasm') {
    kernelDigests(best).forEach(({ name, digest }, index) => {
      const other = digests[index]?.digest
      if (other !== digest) throw new Error(`${name}: ${digest} in WebAssembly, ${other} without`)
    })
  }
  const abc = new Uint8Array(32)
  sha256JsInto(Uint8Array.of(0x61, 0x62, 0x63), abc, 0)
  // The first bytes of the NIST example.
  const start = [0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea]
  if (start.some((byte, index) => abc[index] !== byte)) throw new Error('SHA-256 is wrong')
  return [...digests, sha256Digest()]
}
