import { describe, expect, test } from 'vitest'
import type { AnyField, Fields } from './index.ts'
import {
  bool,
  decodeRecord,
  encodeRecord,
  f32,
  fixedField,
  list,
  map,
  optional,
  struct,
  text,
  u8,
  u16,
} from './index.ts'

const hex = (it: Uint8Array): string => Buffer.from(it).toString('hex')
const code = (expected: string) => expect.objectContaining({ code: expected })

describe('struct', () => {
  const move = struct({ x: fixedField, y: fixedField, hot: bool, tag: optional(u8) })

  test('fields follow each other in the sequence of the declaration, without gaps', () => {
    const value = { x: 1, y: 2, hot: true, tag: 5 }
    expect(hex(encodeRecord(move, value))).toBe('01000000020000001700')
    expect(move.bitsMin).toBe(66)
    expect(move.bitsMax).toBe(74)
  })

  test('a missing name is the same as undefined', () => {
    expect(move.accepts({ x: 1, y: 2, hot: true })).toBe(true)
    expect(move.accepts({ x: 1, y: 2 })).toBe(false)
    expect(move.fromJson({ x: 1, y: 2, hot: true }, 'it').tag).toBeUndefined()
    expect(() => move.fromJson({ x: 1, y: 2 }, 'it')).toThrow(/Cannot use it\.hot: it is null/)
  })

  test('a name that is no field is refused, and the error lists those that are', () => {
    const check: (value: unknown) => void = (it) => move.check(it, 'move')
    expect(() => check({ x: 1, y: 2, hot: true, z: 3 })).toThrow(
      'Cannot use move.z: it is 3; it must be left out: the fields are x, y, hot, tag',
    )
    expect(() => move.fromJson({ x: 1, y: 2, hot: true, z: 3 }, 'it')).toThrow(code('SS_BAD_VALUE'))
    expect(() => check([1, 2])).toThrow(/it is an array of 2; it must be an object with x, y/)
    expect(() => check({ x: 1, y: 2, hot: 1 })).toThrow(/Cannot use move\.hot: it is 1/)
  })

  test('names that objects have by themselves are not taken for values', () => {
    const odd = struct({ toString: optional(u8), constructor: optional(u8) })
    expect(odd.fromJson({}, 'it')).toEqual({ toString: undefined, constructor: undefined })
  })

  test.each(['', '1', '1a', 'a-b', 'é', '__proto__', 'a b'])('%j is no name', (name) => {
    const fields = Object.defineProperty({}, name, { value: u8, enumerable: true })
    expect(() => struct(fields)).toThrow(code('SS_BAD_FIELD'))
  })

  test('something that is no type is said at the declaration', () => {
    expect(() => struct({ hp: undefined as unknown as AnyField })).toThrow(
      'Cannot declare a field hp of type undefined: it needs a type, such as u8 or list(u8, 10)',
    )
    expect(() => struct({ hp: 8 as unknown as AnyField })).toThrow(code('SS_BAD_FIELD'))
    expect(() => struct(undefined as unknown as Fields)).toThrow(code('SS_BAD_FIELD'))
    expect(() => optional(undefined as unknown as AnyField)).toThrow(code('SS_BAD_FIELD'))
    expect(() => optional(optional(u8))).toThrow(code('SS_BAD_FIELD'))
  })

  test('a later change of the given object changes no format', () => {
    const fields: { [name: string]: AnyField } = { a: u8 }
    const field = struct(fields)
    fields.b = u8
    expect(field.names).toEqual(['a'])
  })

  test('a frozen record that needs no change can be normalised', () => {
    const frozen = Object.freeze({ a: 1, b: 0.5 })
    expect(struct({ a: u8, b: f32 }).normalise(frozen)).toBe(frozen)
    expect(struct({ b: f32 }).normalise({ b: 0.1 })).toEqual({ b: Math.fround(0.1) })
  })
})

describe('versions of a struct', () => {
  /** One declaration through three versions of a game. */
  const unit = struct({
    hp: u8,
    mana: u8.until(2),
    name: text(15).since(2).default('nobody'),
    scale: u16.since(3),
  })
  const v1 = struct({ hp: u8, mana: u8 })
  const v2 = struct({ hp: u8, name: text(15) })

  test('a retired field has no bits and no value', () => {
    expect(unit.names).toEqual(['hp', 'name', 'scale'])
    expect(unit.makeDefault()).toEqual({ hp: 0, name: 'nobody', scale: 0 })
    expect(unit.accepts({ hp: 1, name: 'a', scale: 1, mana: 5 })).toBe(false)
    expect(Object.keys(unit.fields)).toEqual(['hp', 'name', 'scale'])
    expect(Object.keys(unit.declared)).toEqual(['hp', 'mana', 'name', 'scale'])
  })

  test('records of old versions read as records of today', () => {
    const first = encodeRecord(v1, { hp: 7, mana: 9 })
    const second = encodeRecord(v2, { hp: 7, name: 'ada' })
    expect(decodeRecord(unit.atVersion(1), first)).toEqual({ hp: 7, name: 'nobody', scale: 0 })
    expect(decodeRecord(unit.atVersion(2), second)).toEqual({ hp: 7, name: 'ada', scale: 0 })
    expect(unit.atVersion(1).bitsMax).toBe(v1.bitsMax)
    expect(unit.atVersion(1).bitsMin).toBe(v1.bitsMin)
  })

  test('the present version is the field itself', () => {
    expect(unit.atVersion(3)).toBe(unit)
    expect(v1.atVersion(0)).toBe(v1)
    expect(u8.atVersion(0)).toBe(u8)
  })

  test('versions reach into lists, maps and optional values', () => {
    const nest = (inner: AnyField) =>
      struct({
        all: list(inner, 3),
        by: map(u8, inner, 3),
        one: optional(inner),
        flat: list(u8, 3),
      })
    const old = { hp: 7, mana: 9 }
    const now = { hp: 7, name: 'nobody', scale: 0 }
    const written = encodeRecord(nest(v1), {
      all: [old, old],
      by: new Map([[1, old]]),
      one: old,
      flat: [1],
    })
    expect(decodeRecord(nest(unit).atVersion(1), written)).toEqual({
      all: [now, now],
      by: new Map([[1, now]]),
      one: now,
      flat: [1],
    })
    expect(nest(v1).atVersion(1).describe()).toEqual(nest(v1).describe())
  })

  test('writing in an old version gives what that version would read', () => {
    const bytes = encodeRecord(unit.atVersion(1), { hp: 7, name: 'ada', scale: 3 })
    expect(decodeRecord(v1, bytes)).toEqual({ hp: 7, mana: 0 })
  })

  test('a default that is a record keeps what an old version did not have', () => {
    const field = list(unit, 3).default([{ hp: 1, name: 'ada', scale: 2 }])
    expect(field.atVersion(1).makeDefault()).toEqual([{ hp: 1, name: 'ada', scale: 2 }])
  })

  test('items that had no bits at all in an old version take no memory from a stranger', () => {
    const late = list(struct({ hp: u8.since(2) }), 0xff_ffff)
    expect(() => decodeRecord(late.atVersion(1), Uint8Array.of(0xff, 0xff, 0xff))).toThrow(
      code('SS_WIRE_TRUNCATED'),
    )
  })
})
