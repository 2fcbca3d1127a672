import { describe, expect, test } from 'vitest'
import {
  bytes,
  decodeRecord,
  encodeRecord,
  list,
  optional,
  range,
  struct,
  text,
  u8,
} from './index.ts'

const hex = (it: Uint8Array): string => Buffer.from(it).toString('hex')
const code = (expected: string) => expect.objectContaining({ code: expected })

describe('lists, bytes and texts', () => {
  test('the count takes the bits that the maximum needs', () => {
    // Two items: 10 in three bits (maximum 4…7), then 0xff, then 0x01.
    expect(hex(encodeRecord(list(u8, 5), [0xff, 0x01]))).toBe('fa0f00')
    expect(hex(encodeRecord(bytes(1), Uint8Array.of(0xff)))).toBe('ff01')
    expect(hex(encodeRecord(text(255), 'hé'))).toBe('0368c3a9')
    expect([list(u8, 1), list(u8, 3), list(u8, 4)].map((field) => field.bitsMin)).toEqual([1, 2, 3])
  })

  test.each([0, -1, 1.5, Number.NaN, 0x100_0000, Number.POSITIVE_INFINITY])(
    'a maximum of %s cannot be declared',
    (max) => {
      expect(() => list(u8, max)).toThrow(code('SS_BAD_FIELD'))
      expect(() => bytes(max)).toThrow(code('SS_BAD_FIELD'))
      expect(() => text(max)).toThrow(code('SS_BAD_FIELD'))
    },
  )

  test('items of no bits cannot be declared: their count alone would take memory', () => {
    expect(() => list(range(7, 7), 5)).toThrow(/at least one bit/)
    expect(() => list(struct({}), 5)).toThrow(code('SS_BAD_FIELD'))
  })

  test('a missing item type is said at the declaration', () => {
    expect(() => list(undefined as unknown as typeof u8, 5)).toThrow(
      'Cannot declare a list of type undefined: it needs a type, such as u8 or list(u8, 10)',
    )
  })

  test('the maximum of a text counts bytes in UTF-8', () => {
    const field = text(4)
    expect(field.accepts('abcd')).toBe(true)
    expect(field.accepts('😀')).toBe(true)
    expect(field.accepts('éé')).toBe(true)
    expect(field.accepts('ééa')).toBe(false)
    expect(field.accepts('abcde')).toBe(false)
    expect(field.accepts('\ud83d')).toBe(false)
  })

  test('a text that is no UTF-8 is refused, and the place is that in the whole', () => {
    const record = struct({ skip: list(u8, 255), name: text(255) })
    const bad = Uint8Array.of(1, 9, 2, 0x41, 0xff)
    expect(() => decodeRecord(record, bad)).toThrow(
      expect.objectContaining({ code: 'SS_WIRE_NOT_CANONICAL', offset: 4 }),
    )
  })

  test('decoded bytes are a copy', () => {
    const source = Uint8Array.of(2, 7, 8)
    const value = decodeRecord(bytes(255), source)
    source[1] = 0
    expect([...value]).toEqual([7, 8])
  })

  test('bytes are hexadecimal in JSON, in one spelling', () => {
    const field = bytes(3)
    expect(field.toJson(Uint8Array.of(0, 10, 255))).toBe('000aff')
    expect([...field.fromJson('000aff', 'it')]).toEqual([0, 10, 255])
    for (const json of ['0', '0A', '0g', '00000000', 5, ['00']]) {
      expect(() => field.fromJson(json, 'it')).toThrow(code('SS_BAD_VALUE'))
    }
  })

  test('bytes of a Buffer are fine, other views are not', () => {
    expect(bytes(3).accepts(Buffer.from([1, 2]))).toBe(true)
    expect(bytes(3).accepts(new Uint16Array(1))).toBe(false)
    expect(bytes(3).accepts([1, 2])).toBe(false)
    const buffer = Buffer.from([1, 2])
    const copy = bytes(3).copy(buffer)
    buffer[0] = 9
    expect([...copy]).toEqual([1, 2])
  })

  test('the error names the item', () => {
    const field = list(list(u8, 3), 3)
    const check: (value: unknown) => void = (it) => field.check(it, 'path')
    expect(() => check([[1], [2, 300]])).toThrow(/Cannot use path\[1\]\[1\]: it is 300/)
    expect(() => check([[1, 2, 3, 4]])).toThrow(/Cannot use path\[0\]: it is an array of 4/)
    expect(() => check('abc')).toThrow(
      /Cannot use path: it is "abc"; it must be an array of at most 3/,
    )
  })

  test('a frozen list that needs no change can be normalised', () => {
    const frozen = Object.freeze([1, 2]) as number[]
    expect(list(u8, 3).normalise(frozen)).toBe(frozen)
  })

  test('a list may hold missing values', () => {
    const field = list(optional(u8), 3)
    expect(decodeRecord(field, encodeRecord(field, [1, undefined, 2]))).toEqual([1, undefined, 2])
  })
})
