import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvariantError } from './assert.ts'
import { BitReader } from './bit-reader.ts'
import { BitWriter } from './bit-writer.ts'
import { WireError } from './errors.ts'

const code = (expected: string) => expect.objectContaining({ code: expected })

describe('BitReader', () => {
  test('reads what a writer wrote, whatever the counts', () => {
    const counts = fc.array(fc.integer({ min: 0, max: 32 }), { maxLength: 60 })
    fc.assert(
      fc.property(counts, fc.infiniteStream(fc.nat({ max: 2 ** 32 - 1 })), (sizes, stream) => {
        const values = sizes.map((size) => {
          const value: number = stream.next().value
          return Math.floor(value / 2 ** (32 - size))
        })
        const out = new BitWriter()
        sizes.forEach((size, index) => {
          out.bits(values[index]!, size)
        })
        const input = new BitReader(out.finish())
        expect(sizes.map((size) => input.bits(size))).toEqual(values)
        input.end()
      }),
    )
  })

  test('counts down the bits that remain', () => {
    const input = new BitReader(Uint8Array.of(0xff, 0xff, 0xff))
    expect(input.remainingBits).toBe(24)
    input.bits(5)
    expect(input.remainingBits).toBe(19)
    expect(input.offset).toBe(0)
    input.bits(11)
    expect(input.remainingBits).toBe(8)
    expect(input.offset).toBe(2)
  })

  test('stays between start and end', () => {
    const bytes = Uint8Array.of(0xaa, 0x01, 0x02, 0xbb)
    const input = new BitReader(bytes, 1, 3)
    expect(input.bits(16)).toBe(0x0201)
    input.end()
    expect(() => input.bits(1)).toThrow(code('SS_WIRE_TRUNCATED'))
    input.reset(bytes, 3)
    expect(input.bits(8)).toBe(0xbb)
    input.reset(bytes)
    expect(input.bits(8)).toBe(0xaa)
  })

  test('reset starts at a whole byte again', () => {
    const input = new BitReader(Uint8Array.of(0xf0))
    input.bits(3)
    input.reset(Uint8Array.of(0x0f))
    expect(input.bits(8)).toBe(0x0f)
  })

  test.each([
    [-1, 1],
    [0, 5],
    [3, 2],
  ])('bounds from %i to %i outside four bytes are a bug of ours', (start, end) => {
    expect(() => new BitReader(new Uint8Array(4), start, end)).toThrow(InvariantError)
    expect(() => new BitReader().reset(new Uint8Array(4), start, end)).toThrow(InvariantError)
  })

  test.each([1, 7, 8, 9, 25, 32])('%i bits of an empty source are truncated', (count) => {
    expect(() => new BitReader().bits(count)).toThrow(code('SS_WIRE_TRUNCATED'))
    expect(new BitReader().bits(0)).toBe(0)
  })

  test('one bit too many is truncated, and the error says where', () => {
    const input = new BitReader(new Uint8Array(5))
    input.bits(32)
    input.bits(1)
    expect(() => input.bits(8)).toThrow(
      expect.objectContaining({ code: 'SS_WIRE_TRUNCATED', offset: 4 }),
    )
    expect(input.bits(7)).toBe(0)
  })

  test('bytes longer than the source are truncated before memory is taken', () => {
    const input = new BitReader(new Uint8Array(4))
    expect(() => input.bytes(2 ** 31)).toThrow(WireError)
    expect(() => input.view(2 ** 31)).toThrow(WireError)
    input.bits(1)
    expect(() => input.bytes(4)).toThrow(code('SS_WIRE_TRUNCATED'))
    expect(() => input.view(4)).toThrow(code('SS_WIRE_TRUNCATED'))
    expect(input.view(3)).toHaveLength(3)
  })

  test('bytes is a copy; view borrows where the bytes are aligned', () => {
    const source = Uint8Array.of(1, 2, 3, 4)
    const input = new BitReader(source)
    const copy = input.bytes(2)
    const view = input.view(2)
    expect([...copy, ...view]).toEqual([1, 2, 3, 4])
    expect(copy.buffer).not.toBe(source.buffer)
    expect(view.buffer).toBe(source.buffer)
  })

  test('padding bits must be zero', () => {
    const padded = new BitReader(Uint8Array.of(0b0000_0101, 0xff))
    padded.bits(3)
    padded.align()
    expect(padded.bits(8)).toBe(0xff)
    const dirty = new BitReader(Uint8Array.of(0b1000_0101))
    dirty.bits(3)
    expect(() => dirty.align()).toThrow(code('SS_WIRE_NOT_CANONICAL'))
    expect(() => dirty.end()).toThrow(code('SS_WIRE_NOT_CANONICAL'))
  })

  test('bytes can be passed over, but not more than there are', () => {
    const input = new BitReader(Uint8Array.of(0b1010_0001, 0x34, 0x12, 0xff))
    input.bits(4)
    input.skip(2)
    expect(input.bits(4)).toBe(0x1)
    expect(() => input.skip(2)).toThrow(code('SS_WIRE_TRUNCATED'))
    input.bits(4)
    input.skip(0)
    expect(input.remainingBits).toBe(4)
  })

  test('left-over bytes are an error, a begun byte is not', () => {
    const input = new BitReader(Uint8Array.of(0x01, 0x00))
    input.bits(1)
    expect(() => input.end()).toThrow(code('SS_WIRE_TRAILING_BYTES'))
    input.reset(Uint8Array.of(0x01))
    input.bits(1)
    input.end()
    expect(input.remainingBits).toBe(0)
  })
})
