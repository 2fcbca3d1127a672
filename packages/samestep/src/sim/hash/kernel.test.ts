import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FloatFormat, HashKernel } from './kernel.ts'
import { pieceBytes } from './kernel-constants.ts'
import { makeLabel } from './label.ts'
import type { LeafFormat } from './leaf.ts'
import { createStateMemory } from './memory.ts'
import { canonicalBytes, referenceSyncLeaf } from './testing/reference.ts'

const label = makeLabel('units/x/0')
const wasm = createStateMemory(65_536, { kernel: 'wasm' })
const js = createStateMemory(65_536, { kernel: 'js' })
const memories = [
  ['wasm', wasm],
  ['js', js],
] as const

type Run = (kernel: HashKernel, out: Uint32Array) => void

function hash(kernel: HashKernel, run: Run): string {
  const out = new Uint32Array(2)
  run(kernel, out)
  return `${out[1]!.toString(16)}-${out[0]!.toString(16)}`
}

/** Hashes `bytes` at offset `at` behind the start of the state, with `garbage` all around. */
function hashInMemory(
  memory: typeof wasm,
  bytes: Uint8Array,
  format: LeafFormat,
  garbage: number,
  at = 0,
): string {
  memory.bytes.fill(garbage, memory.dataStart)
  memory.bytes.set(bytes, memory.dataStart + at)
  return hash(memory.kernel, (kernel, out) =>
    kernel.leaf(label, memory.dataStart + at, bytes.length, format, out, 0),
  )
}

function referenceText(bytes: Uint8Array, format: LeafFormat): string {
  const [lo, hi] = referenceSyncLeaf({ label: label.text, bytes, format })
  return `${(hi >>> 0).toString(16)}-${(lo >>> 0).toString(16)}`
}

const formats = fc.constantFrom<LeafFormat>('raw', 'f32', 'f64')
/** Cells that hold what floats find hard, in either width. */
const cell = fc.oneof(
  fc.constantFrom<readonly number[]>(
    [0, 0x80000000],
    [0, 0],
    [1, 0x7ff00000],
    [0, 0x7ff00000],
    [0, 0xfff00000],
    [1, 0x80000000],
    [0x7fc00001, 0xffc00000],
    [0x7f800000, 0xff800000],
    [0x7f800001, 0x7ff80000],
    [0xffffffff, 0xffffffff],
  ),
  fc.tuple(fc.integer(), fc.integer()),
)
const runs = fc
  .tuple(
    formats,
    fc.array(cell, { maxLength: 625 }),
    fc.uint8Array({ minLength: 7, maxLength: 7 }),
    fc.nat(7),
  )
  .map(([format, cells, tail, tailLength]) => {
    const words = Uint8Array.from(new Uint8Array(Int32Array.from(cells.flat()).buffer))
    const cut = format === 'raw' ? tailLength : tailLength & (format === 'f32' ? 4 : 0)
    const bytes = new Uint8Array(words.length + cut)
    bytes.set(words)
    bytes.set(tail.subarray(0, cut), words.length)
    return { format, bytes }
  })

describe('a leaf of the sync hash', () => {
  test('has the bits of the description in both kernels, whatever lies behind its end', () => {
    fc.assert(
      fc.property(runs, fc.nat(255), fc.nat(31), ({ format, bytes }, garbage, words) => {
        const expected = referenceText(bytes, format)
        for (const [, memory] of memories) {
          expect(hashInMemory(memory, bytes, format, garbage, 4 * words)).toBe(expected)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('of every length up to three stripes is the same in both kernels, and all differ', () => {
    const seen = new Set<string>()
    for (let length = 0; length <= 3 * 128 + 1; length++) {
      const bytes = new Uint8Array(length)
      const text = hashInMemory(wasm, bytes, 'raw', 0xff)
      expect(hashInMemory(js, bytes, 'raw', 0x55), `length ${length}`).toBe(text)
      seen.add(text)
    }
    expect(seen.size).toBe(3 * 128 + 2)
  })

  test('is the same outside the state memory, at any alignment and across pieces', () => {
    const lengths = [0, 1, 64, 65, 1000, pieceBytes - 8, pieceBytes, pieceBytes + 8, 40_000]
    const source = Uint8Array.from({ length: 50_000 }, (_none, index) => index * 167 + (index >> 8))
    for (const length of lengths) {
      for (const start of [0, 1, 3, 8]) {
        for (const format of ['raw', 'f32', 'f64'] as const) {
          const whole = format === 'raw' ? length : length - (length % 8)
          const bytes = source.slice(start, start + whole)
          const inside = hashInMemory(wasm, bytes, format, 1)
          for (const [kind, memory] of memories) {
            const outside = hash(memory.kernel, (kernel, out) =>
              kernel.leafOfBytes(label, source, start, whole, format, out, 0),
            )
            expect(outside, `${kind} ${format} ${start}+${whole}`).toBe(inside)
          }
        }
      }
    }
  })

  test.each(memories)('up to the last byte of the memory can be hashed: %s', (_kind, memory) => {
    const length = 200
    const start = memory.bytes.length - length
    memory.bytes.fill(9, start)
    const atEnd = hash(memory.kernel, (kernel, out) =>
      kernel.leaf(label, start, length, 'raw', out, 0),
    )
    expect(atEnd).toBe(hashInMemory(memory, new Uint8Array(length).fill(9), 'raw', 0))
  })

  test.each(memories)(
    'is written only to its two words, and the state is only read: %s',
    (_kind, memory) => {
      const bytes = Uint8Array.from({ length: 40_000 }, (_none, index) => index % 251)
      memory.bytes.fill(0x80, memory.dataStart)
      memory.bytes.set(bytes, memory.dataStart)
      const before = memory.bytes.slice(memory.dataStart)
      const out = new Uint32Array(4).fill(5)
      for (const format of ['raw', 'f32', 'f64'] as const) {
        memory.kernel.leaf(label, memory.dataStart, 40_000, format, out, 1)
        memory.kernel.leafOfBytes(label, bytes, 0, 40_000, format, out, 1)
        memory.kernel.isCanonical(memory.dataStart, 40_000, 'f64')
      }
      expect(out[0]).toBe(5)
      expect(out[3]).toBe(5)
      expect(memory.bytes.slice(memory.dataStart)).toEqual(before)
      expect(bytes.every((byte, index) => byte === index % 251)).toBe(true)
    },
  )

  test('depends on the label', () => {
    const other = makeLabel('units/x/1')
    for (const [, memory] of memories) {
      const [a, b] = [label, other].map((each) =>
        hash(memory.kernel, (kernel, out) =>
          kernel.leaf(each, memory.dataStart, 128, 'raw', out, 0),
        ),
      )
      expect(a).not.toBe(b)
    }
  })

  test.each(memories)(
    'outside the memory, or inside a cell, is our own bug: %s',
    (_kind, { kernel, bytes, dataStart }) => {
      const out = new Uint32Array(2)
      const leaf = (start: number, byteLength: number, format: LeafFormat) => () =>
        kernel.leaf(label, start, byteLength, format, out, 0)
      expect(leaf(bytes.length - 4, 5, 'raw')).toThrow('leaves its memory')
      expect(leaf(-4, 4, 'raw')).toThrow('leaves its memory')
      expect(leaf(dataStart, 6, 'f32')).toThrow('inside a cell')
      expect(leaf(dataStart + 2, 4, 'raw')).toThrow('not aligned')
      expect(leaf(dataStart - 4, 4, 'raw')).toThrow("the kernel's own")
      expect(() => kernel.normalise(dataStart, 12, 'f64')).toThrow('inside a cell')
      expect(() => kernel.normalise(0, 8, 'f64')).toThrow("the kernel's own")
      expect(() => kernel.isCanonical(bytes.length, 4, 'f32')).toThrow('leaves its memory')
      expect(() => kernel.leafOfBytes(label, bytes, 0, bytes.length + 1, 'raw', out, 0)).toThrow(
        'leaves its memory',
      )
    },
  )
})

describe('normalise', () => {
  test('makes every float canonical, and nothing else, in both kernels', () => {
    fc.assert(
      fc.property(runs, fc.nat(255), ({ format, bytes }, garbage) => {
        const float: FloatFormat = format === 'f64' ? 'f64' : 'f32'
        const whole = bytes.subarray(0, bytes.length - (bytes.length % 8))
        const expected = canonicalBytes(whole, float)
        const isCanonical = expected.every((byte, index) => byte === whole[index])
        for (const [kind, memory] of memories) {
          memory.bytes.fill(garbage, memory.dataStart)
          memory.bytes.set(whole, memory.dataStart)
          const behind = memory.dataStart + whole.length
          const { kernel, dataStart } = memory
          expect(kernel.isCanonical(dataStart, whole.length, float), kind).toBe(isCanonical)
          kernel.normalise(dataStart, whole.length, float)
          expect(memory.bytes.slice(dataStart, behind), kind).toEqual(expected)
          expect(
            memory.bytes.subarray(behind, behind + 300).every((byte) => byte === garbage),
          ).toBe(true)
          expect(kernel.isCanonical(dataStart, whole.length, float), kind).toBe(true)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('changes no hash, because floats are hashed as if it had been called', () => {
    fc.assert(
      fc.property(runs, ({ format, bytes }) => {
        fc.pre(format !== 'raw')
        const canonical = canonicalBytes(bytes, format)
        for (const [, memory] of memories) {
          const before = hashInMemory(memory, bytes, format, 0)
          expect(hashInMemory(memory, canonical, format, 0)).toBe(before)
          expect(hashInMemory(memory, canonical, 'raw', 0)).toBe(before)
        }
      }),
      { numRuns: 100 },
    )
  })
})
