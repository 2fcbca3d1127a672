import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvariantError } from './assert.ts'
import { BitReader } from './bit-reader.ts'
import { BitWriter } from './bit-writer.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** The obvious way to pack bits, one at a time: slow, and easy to believe. */
function packSlowly(values: readonly (readonly [value: number, count: number])[]): string {
  const bits = values.flatMap(([value, count]) =>
    Array.from({ length: count }, (_, index) => Math.floor((value >>> 0) / 2 ** index) % 2),
  )
  const bytes = new Uint8Array(Math.ceil(bits.length / 8))
  bits.forEach((bit, index) => {
    bytes[index >>> 3]! |= bit << (index & 7)
  })
  return hex(bytes)
}

const bitRuns = fc.array(
  fc.integer({ min: 0, max: 32 }).chain((count) =>
    fc.tuple(
      fc.nat({ max: 2 ** 32 - 1 }).map((value) => Math.floor(value / 2 ** (32 - count))),
      fc.constant(count),
    ),
  ),
  { maxLength: 80 },
)

describe('BitWriter', () => {
  test('the lowest bit comes first, and bytes are little-endian', () => {
    const out = new BitWriter()
    out.bits(1, 1)
    out.bits(0b10, 2)
    out.bits(0x1234, 16)
    out.align()
    out.bits(0xdead_beef, 32)
    expect(hex(out.finish())).toBe('a59100efbeadde')
  })

  test('any run of values gives the bytes of the slow way', () => {
    fc.assert(
      fc.property(bitRuns, (runs) => {
        const out = new BitWriter(8)
        for (const [value, count] of runs) out.bits(value, count)
        const bitLength = runs.reduce((sum, [, count]) => sum + count, 0)
        expect(hex(out.finish())).toBe(packSlowly(runs))
        expect(out.bitLength).toBe(bitLength)
        expect(out.byteLength).toBe(Math.ceil(bitLength / 8))
      }),
    )
  })

  test('32 bits may be given signed', () => {
    const out = new BitWriter()
    out.bits(1, 3)
    out.bits(-2, 32)
    const input = new BitReader(out.view())
    input.bits(3)
    expect(input.bits(32)).toBe(0xffff_fffe)
  })

  test('bytes read back at every alignment and in every length', () => {
    for (let lead = 0; lead <= 33; lead++) {
      for (let length = 0; length <= 9; length++) {
        const source = Uint8Array.from({ length }, (_, index) => 0x91 + 13 * index)
        const out = new BitWriter()
        out.bits(0, Math.min(lead, 32))
        out.bits(0, lead - Math.min(lead, 32))
        out.bytes(source)
        out.bits(0b101, 3)
        const input = new BitReader(out.finish())
        input.bits(Math.min(lead, 32))
        input.bits(lead - Math.min(lead, 32))
        expect([...input.bytes(length)]).toEqual([...source])
        expect(input.bits(3)).toBe(0b101)
        input.end()
      }
    }
  })

  test('reset forgets the bits and keeps the memory', () => {
    const out = new BitWriter()
    for (let index = 0; index < 1000; index++) out.bits(0xffff_ffff, 32)
    const { buffer } = out.view()
    out.reset()
    expect(out.byteLength).toBe(0)
    expect(out.finish()).toHaveLength(0)
    out.bits(5, 3)
    expect(hex(out.finish())).toBe('05')
    expect(out.view().buffer).toBe(buffer)
  })

  test('finish is a copy, view is borrowed, and writing goes on after both', () => {
    const out = new BitWriter()
    out.bits(0x3, 4)
    const copy = out.finish()
    const view = out.view()
    out.bits(0x7, 4)
    expect(hex(copy)).toBe('03')
    expect(hex(out.finish())).toBe('73')
    expect(view.buffer).toBe(out.view().buffer)
    expect(copy.buffer.byteLength).toBe(1)
  })

  test.each([
    [256, 8],
    [-1, 8],
    [1, 0],
    [2, 1],
    [0, 33],
    [0, -1],
  ])('%i in %i bits is a bug of ours, not silent damage', (value, count) => {
    expect(() => new BitWriter().bits(value, count)).toThrow(InvariantError)
  })
})
