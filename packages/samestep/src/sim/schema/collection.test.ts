import { describe, expect, test } from 'vitest'
import type { AnyField } from './index.ts'
import {
  bool,
  decodeRecord,
  encodeRecord,
  f32,
  f64,
  fixedField,
  list,
  map,
  oneOf,
  range,
  ref,
  set,
  struct,
  text,
  u8,
} from './index.ts'

const code = (expected: string) => expect.objectContaining({ code: expected })

describe('maps and sets', () => {
  test('the sequence of insertion is written and restored', () => {
    const field = map(u8, bool, 5)
    const value = new Map([
      [9, true],
      [1, false],
      [5, true],
    ])
    expect([...decodeRecord(field, encodeRecord(field, value))]).toEqual([...value])
    const items = new Set([3, 1, 2])
    expect([...decodeRecord(set(u8, 5), encodeRecord(set(u8, 5), items))]).toEqual([3, 1, 2])
  })

  test('another sequence is another value', () => {
    const field = set(u8, 5)
    expect(field.equals(new Set([1, 2]), new Set([2, 1]))).toBe(false)
    expect(map(u8, u8, 5).equals(new Map([[1, 1]]), new Map([[1, 2]]))).toBe(false)
    expect(map(u8, u8, 5).equals(new Map([[1, 1]]), new Map())).toBe(false)
  })

  test('a key that comes twice is refused', () => {
    // Two entries in three bits, then the key 7 twice.
    const twice = encodeRecord(list(u8, 5), [7, 7])
    expect(() => decodeRecord(set(u8, 5), twice)).toThrow(code('SS_WIRE_NOT_CANONICAL'))
    const pairs = encodeRecord(list(u8, 6), [7, 1, 7, 2])
    pairs[0] = (pairs[0]! & ~7) | 2
    expect(() => decodeRecord(map(u8, u8, 6), pairs)).toThrow(code('SS_WIRE_NOT_CANONICAL'))
  })

  test.each<[string, AnyField]>([
    ['text', text(5)],
    ['u8', u8],
    ['bool', bool],
    ['ref', ref('units')],
    ['fixed', fixedField],
    ['f64', f64],
    ['oneOf', oneOf(['a', 'b'])],
  ])('%s makes keys', (_name, key) => {
    expect(map(key, u8, 5).key).toBe(key)
    expect(set(key, 5).item).toBe(key)
  })

  test.each<[string, AnyField]>([
    ['a list, which is compared by identity', list(u8, 5)],
    ['a record, which is compared by identity', struct({ x: u8 })],
    ['f32, where two keys may become one', f32],
    ['a constant', range(7, 7)],
  ])('%s makes no keys', (_name, key) => {
    expect(() => map(key, u8, 5)).toThrow(code('SS_BAD_FIELD'))
    expect(() => set(key, 5)).toThrow(code('SS_BAD_FIELD'))
  })

  test('a map needs a maximum', () => {
    expect(() => map(u8, u8, 0)).toThrow(code('SS_BAD_FIELD'))
    expect(() => set(u8, 0)).toThrow(code('SS_BAD_FIELD'))
  })

  test('JSON shows pairs and items, and refuses doubles', () => {
    expect(map(text(5), u8, 3).toJson(new Map([['a', 1]]))).toEqual([['a', 1]])
    expect(set(u8, 3).toJson(new Set([2, 1]))).toEqual([2, 1])
    const double = [
      ['a', 1],
      ['a', 2],
    ]
    expect(() => map(text(5), u8, 3).fromJson(double, 'it')).toThrow(/it\[1\]\[0\].*did not come/)
    expect(() => set(u8, 3).fromJson([1, 1], 'it')).toThrow(/it\[1\].*did not come before/)
    expect(() => map(u8, u8, 3).fromJson([[1, 2, 3]], 'it')).toThrow(/a pair of key and value/)
  })

  test('the error names the entry', () => {
    const field = map(text(5), u8, 3)
    const check: (value: unknown) => void = (it) => field.check(it, 'gold')
    expect(() => check(new Map([['ada', 300]]))).toThrow(/Cannot use gold\["ada"\]: it is 300/)
    expect(() => check(new Map([[5, 1]]))).toThrow(/Cannot use a key of gold: it is 5/)
    expect(() => check({})).toThrow(/it is an object; it must be a Map of at most 3 entries/)
    const checkSet: (value: unknown) => void = (it) => set(u8, 2).check(it, 'seen')
    expect(() => checkSet(new Set([1, 2, 3]))).toThrow(/it is a Set of 3; it must be a Set of at/)
    expect(() => checkSet(new Set([-1]))).toThrow(/Cannot use an item of seen: it is -1/)
  })

  test('normalising values keeps their places', () => {
    const value = new Map([
      [1, 0.1],
      [2, -0],
      [3, 0.5],
    ])
    map(u8, f32, 5).normalise(value)
    expect([...value]).toEqual([
      [1, Math.fround(0.1)],
      [2, 0],
      [3, 0.5],
    ])
  })
})
