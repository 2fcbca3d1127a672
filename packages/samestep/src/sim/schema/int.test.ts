import { describe, expect, test } from 'vitest'
import { InvariantError } from '../../base/assert.ts'
import { BitWriter } from '../../base/bit-writer.ts'
import type { IntField } from './index.ts'
import {
  decodeRecord,
  encodeRecord,
  fixedField,
  i8,
  i16,
  i32,
  makeFixedField,
  RefField,
  range,
  ref,
  seat,
  u8,
  u16,
  u32,
} from './index.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('whole numbers', () => {
  test.each([
    ['u8', u8, 0xab, 'ab'],
    ['u16', u16, 0x1234, '3412'],
    ['u32', u32, 0xdead_beef, 'efbeadde'],
    ['i8', i8, -1, 'ff'],
    ['i16', i16, -2, 'feff'],
    ['i32', i32, -0x8000_0000, '00000080'],
    ['fixed', fixedField, 0x1_8000, '00800100'],
    ['seat', seat, 63, '3f'],
    ['ref', ref('units'), 1, '01000000'],
    ['range(-3, 3)', range(-3, 3), -3, '00'],
    ['range(-3, 3)', range(-3, 3), 3, '06'],
    ['range(7, 7)', range(7, 7), 7, ''],
  ])('%s writes %3$s for %2$i', (_name, field: IntField, value, expected) => {
    expect(hex(encodeRecord(field, value))).toBe(expected)
  })

  test.each([
    [0, 0, 0],
    [0, 1, 1],
    [0, 2, 2],
    [0, 100, 7],
    [0, 127, 7],
    [0, 128, 8],
    [-1, 1, 2],
    [5, 8, 2],
    [0, 0xffff_ffff, 32],
    [-0x8000_0000, 0x7fff_ffff, 32],
  ])('range(%i, %i) takes %i bits', (min, max, bits) => {
    expect(range(min, max).bitsMin).toBe(bits)
    expect(range(min, max).bitsMax).toBe(bits)
  })

  test('bits above the maximum of a range are refused', () => {
    expect(() => decodeRecord(range(0, 100), Uint8Array.of(101))).toThrow(
      expect.objectContaining({ code: 'SS_WIRE_OUT_OF_RANGE' }),
    )
    expect(decodeRecord(range(0, 100), Uint8Array.of(100))).toBe(100)
  })

  test.each([
    [0, 255, 'u8'],
    [-1, 127, 'i8'],
    [-128, 127, 'i8'],
    [0, 256, 'u16'],
    [-1, 128, 'i16'],
    [300, 65_535, 'u16'],
    [0, 65_536, 'u32'],
    [-1, 65_535, 'i32'],
    [-40_000, 0, 'i32'],
    [0x8000_0000, 0xffff_ffff, 'u32'],
  ])('range(%i, %i) lives in a column of %s with these limits', (min, max, type) => {
    expect(range(min, max).column).toMatchObject({ type, min, max })
  })

  test('the default is 0, or the minimum where 0 is outside', () => {
    expect(range(-5, 5).makeDefault()).toBe(0)
    expect(range(3, 5).makeDefault()).toBe(3)
    expect(range(-5, -3).makeDefault()).toBe(-5)
    expect(u32.makeDefault()).toBe(0)
  })

  test.each([
    [0.5, 1],
    [0, Number.NaN],
    [2, 1],
    [-1, 0x8000_0000],
    [0, 0x1_0000_0000],
    [Number.NEGATIVE_INFINITY, 0],
    ['0' as unknown as number, 1],
  ])('range(%s, %s) cannot be declared', (min, max) => {
    expect(() => range(min, max)).toThrow(expect.objectContaining({ code: 'SS_BAD_FIELD' }))
  })

  test('a ref knows its table, also after a modifier, and needs one', () => {
    expect(ref('units').table).toBe('units')
    expect(ref('units').since(2)).toBeInstanceOf(RefField)
    expect(ref('units').since(2).table).toBe('units')
    expect(() => ref('')).toThrow(expect.objectContaining({ code: 'SS_BAD_FIELD' }))
  })

  test.each([256, -1, 1.5, Number.NaN, '1', null, undefined, 1n])('%s is no u8', (value) => {
    expect(u8.accepts(value)).toBe(false)
    const check: (value: unknown) => void = (it) => u8.check(it, 'units.hp')
    expect(() => check(value)).toThrow(/Cannot use units\.hp: .* from 0 to 255/)
  })

  test('a value outside never leaves as another one: writing it is a bug of ours', () => {
    for (const [field, value] of [
      [i8, 200],
      [range(0, 100), 120],
      [u8, Number.NaN],
    ] as const) {
      expect(() => field.write(new BitWriter(), value)).toThrow(InvariantError)
    }
  })

  test('negative zero becomes zero', () => {
    expect(Object.is(i8.normalise(-0), 0)).toBe(true)
    expect(Object.is(fixedField.fromJson(-0, 'it'), 0)).toBe(true)
    expect(JSON.stringify(range(-0, 5).describe())).toBe('{"kind":"range","min":0,"max":5}')
  })

  test('fixed shows decimal numbers and takes back exactly those', () => {
    expect(fixedField.toJson(0x1_8000)).toBe(1.5)
    expect(fixedField.toJson(1)).toBe(1 / 65_536)
    expect(fixedField.fromJson(-32_768, 'it')).toBe(-0x8000_0000)
    for (const json of [0.1, 32_768, 'x', 1 / 131_072]) {
      expect(() => fixedField.fromJson(json, 'it')).toThrow(/a multiple of 1\/65536/)
    }
  })

  test('arithmetic under names such as min and max does not disturb the field', () => {
    const fixed = Object.assign(makeFixedField(), { min: Math.min, max: Math.max })
    expect(fixed.accepts(0x7fff_ffff)).toBe(true)
    expect(decodeRecord(fixed, encodeRecord(fixed, -5))).toBe(-5)
    expect(fixed.min(1, 2)).toBe(1)
    expect(fixedField).not.toHaveProperty('min')
  })
})
