import { describe, expect, test } from 'vitest'
import { decodeRecord, encodeRecord, f32, f64 } from './index.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const unhex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'))

describe('floats', () => {
  test.each([
    ['f32', f32, 1.5, '0000c03f'],
    ['f32', f32, Number.NaN, '0000c07f'],
    ['f32', f32, -0, '00000000'],
    ['f32', f32, -1e-60, '00000000'],
    ['f32', f32, 0.1, 'cdcccc3d'],
    ['f32', f32, 1e300, '0000807f'],
    ['f64', f64, 1.5, '000000000000f83f'],
    ['f64', f64, Number.NaN, '000000000000f87f'],
    ['f64', f64, -0, '0000000000000000'],
    ['f64', f64, -5e-324, '0100000000000080'],
  ])('%s writes %2$s as %3$s', (_name, field, value, expected) => {
    expect(hex(encodeRecord(field, value))).toBe(expected)
  })

  test('a NaN with another payload is written as the one NaN', () => {
    const payloads = new Float64Array(new BigUint64Array([0xfff8_dead_beef_0001n]).buffer)
    expect(hex(encodeRecord(f64, payloads[0]!))).toBe('000000000000f87f')
    expect(hex(encodeRecord(f32, payloads[0]!))).toBe('0000c07f')
  })

  test.each([
    ['f32', f32, 'negative zero', '00000080'],
    ['f32', f32, 'a NaN with a sign', '0000c0ff'],
    ['f32', f32, 'a NaN with a payload', '0100c07f'],
    ['f32', f32, 'a signalling NaN', '0100807f'],
    ['f64', f64, 'negative zero', '0000000000000080'],
    ['f64', f64, 'a NaN with a sign', '000000000000f8ff'],
    ['f64', f64, 'a NaN with a payload', '010000000000f87f'],
    ['f64', f64, 'a signalling NaN', '010000000000f07f'],
  ])('%s refuses %2$s', (_name, field, _what, bytes) => {
    expect(() => decodeRecord(field, unhex(bytes))).toThrow(
      expect.objectContaining({ code: 'SS_WIRE_NOT_CANONICAL' }),
    )
  })

  test.each([
    ['f32', f32, '000080ff', Number.NEGATIVE_INFINITY],
    ['f32', f32, '01000080', -1.401298464324817e-45],
    ['f64', f64, '000000000000f07f', Number.POSITIVE_INFINITY],
    ['f64', f64, '0100000000000080', -5e-324],
  ])('%s accepts %2$s, which is almost one of those', (_name, field, bytes, value) => {
    expect(decodeRecord(field, unhex(bytes))).toBe(value)
  })

  test('equality and normal form are those of the bytes', () => {
    expect(f32.equals(0.1, Math.fround(0.1))).toBe(true)
    expect(f64.equals(0.1, Math.fround(0.1))).toBe(false)
    expect(f64.equals(Number.NaN, Number.NaN)).toBe(true)
    expect(f64.equals(Number.NaN, 0)).toBe(false)
    expect(Object.is(f32.normalise(-1e-60), 0)).toBe(true)
    expect(f32.normalise(0.1)).toBe(Math.fround(0.1))
  })

  test('JSON has words for what JSON lacks', () => {
    expect(
      [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) =>
        f64.toJson(value),
      ),
    ).toEqual(['NaN', 'Infinity', '-Infinity'])
    expect(f64.fromJson('-Infinity', 'it')).toBe(Number.NEGATIVE_INFINITY)
    expect(() => f64.fromJson('infinity', 'it')).toThrow(/"NaN", "Infinity" or "-Infinity"/)
  })
})
