import { describe, expect, test } from 'vitest'
import {
  bool,
  bytes,
  fixedField,
  list,
  map,
  oneOf,
  optional,
  range,
  ref,
  struct,
  text,
  u8,
} from './index.ts'

const code = (expected: string) => expect.objectContaining({ code: expected })

describe('modifiers', () => {
  test('give new fields and leave the old ones alone', () => {
    const before = JSON.stringify(u8.describe())
    const field = u8.default(7).since(2).was('health', 'life').oneShot()
    expect(JSON.stringify(u8.describe())).toBe(before)
    expect(u8.makeDefault()).toBe(0)
    expect(u8.isOneShot).toBe(false)
    expect(u8.history).toEqual({ since: 0, until: Number.POSITIVE_INFINITY, was: [] })
    expect(field.makeDefault()).toBe(7)
    expect(field.isOneShot).toBe(true)
    expect(field.history).toEqual({
      since: 2,
      until: Number.POSITIVE_INFINITY,
      was: ['health', 'life'],
    })
  })

  test('a later modifier keeps what an earlier one said', () => {
    const field = bool.oneShot().default(true).was('a').was('b').since(1).until(4)
    expect(field.isOneShot).toBe(true)
    expect(field.makeDefault()).toBe(true)
    expect(field.history).toEqual({ since: 1, until: 4, was: ['a', 'b'] })
    expect(field.isRetired).toBe(true)
    expect(bool.isRetired).toBe(false)
  })

  test('a default is fresh each time and does not change with what was given', () => {
    const given = [1, 2]
    const field = list(u8, 5).default(given)
    given.push(3)
    field.makeDefault().push(4)
    expect(field.makeDefault()).toEqual([1, 2])
  })

  test('a default that does not fit is refused with its path', () => {
    expect(() => u8.default(300)).toThrow(/Cannot use default: it is 300/)
    expect(() => list(u8, 2).default([1, 2, 3])).toThrow(code('SS_BAD_VALUE'))
  })

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('%s is no version', (version) => {
    expect(() => u8.since(version)).toThrow(code('SS_BAD_FIELD'))
    expect(() => u8.until(version)).toThrow(code('SS_BAD_FIELD'))
  })

  test('a field cannot end before it begins', () => {
    expect(() => u8.since(3).until(3)).toThrow(/must begin before it ends/)
    expect(() => u8.until(3).since(3)).toThrow(code('SS_BAD_FIELD'))
    expect(u8.since(2).until(3).history).toMatchObject({ since: 2, until: 3 })
  })

  test('earlier names are names, each of them once', () => {
    expect(() => u8.was()).toThrow(code('SS_BAD_FIELD'))
    expect(() => u8.was('a', 'a')).toThrow(code('SS_BAD_FIELD'))
    expect(() => u8.was('a').was('a')).toThrow(code('SS_BAD_FIELD'))
    expect(() => u8.was('a b')).toThrow(code('SS_BAD_FIELD'))
  })
})

describe('descriptions', () => {
  test('say everything that decides compatibility, in a fixed sequence', () => {
    const field = struct({
      x: fixedField,
      hp: range(0, 100).default(50).since(2).was('health'),
      act: oneOf(['idle', 'walk']).oneShot(),
      near: list(ref('units'), 9),
      gone: bool.until(5),
      tag: optional(text(12)),
      raw: bytes(3),
      by: map(u8, bool, 4),
    })
    expect(JSON.stringify(field.describe())).toBe(
      `{"kind":"struct","fields":[["x",{"kind":"fixed"}],
        ["hp",{"kind":"range","min":0,"max":100,"default":50,"since":2,"was":["health"]}],
        ["act",{"kind":"oneOf","values":["idle","walk"],"oneShot":true}],
        ["near",{"kind":"list","max":9,"item":{"kind":"ref","table":"units"}}],
        ["gone",{"kind":"bool","until":5}],
        ["tag",{"kind":"optional","item":{"kind":"text","max":12}}],
        ["raw",{"kind":"bytes","max":3}],
        ["by",{"kind":"map","max":4,"key":{"kind":"u8"},"value":{"kind":"bool"}}]]}`.replace(
        /\n\s+/g,
        '',
      ),
    )
  })

  test('do not change with a default that says nothing new', () => {
    expect(u8.default(0).describe()).toEqual(u8.describe())
    expect(struct({ a: u8 }).default({ a: 0 }).describe()).toEqual(struct({ a: u8 }).describe())
    expect(u8.default(1).describe()).not.toEqual(u8.describe())
  })

  test('tell two sequences of the same fields apart', () => {
    const [ab, ba] = [struct({ a: u8, b: u8 }), struct({ b: u8, a: u8 })]
    expect(JSON.stringify(ab.describe())).not.toBe(JSON.stringify(ba.describe()))
  })
})

describe('messages', () => {
  test.each([
    [-0.5, '-0.5'],
    [5n, '5n'],
    [Symbol('a'), 'Symbol(a)'],
    [() => 1, 'a function'],
    [{}, 'an object'],
    [new Map(), 'a Map of 0'],
    [new Uint8Array(3), '3 bytes'],
    [null, 'null'],
    ['x'.repeat(100), `"${'x'.repeat(40)}"…`],
  ])('show %s as %s', (value, shown) => {
    const check: (value: unknown) => void = (it) => u8.check(it, 'it')
    expect(() => check(value)).toThrow(
      `Cannot use it: it is ${shown}; it must be a whole number from 0 to 255`,
    )
  })
})
