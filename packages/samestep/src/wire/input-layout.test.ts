import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bool, f32, f64, i16, i32, list, oneOf, range, text, u8, u32 } from '../sim/schema/index.ts'
import { scalarCases } from '../sim/schema/testing/arbitraries.ts'
import { InputMapping } from './input-layout.ts'

const slots = new Uint32Array(8)

describe.each(scalarCases)('an input of $name', ({ field, values }) => {
  const mapping = new InputMapping({ before: u8, it: field })
  const record: { [name: string]: unknown } = {}

  test('comes back from its slots as a save would give it back', () => {
    fc.assert(
      fc.property(values, fc.nat(255), (it, before) => {
        mapping.toSlots({ before, it }, slots, 1)
        expect(mapping.isValid(slots, 1)).toBe(true)
        mapping.fromSlots(slots, 1, record)
        expect(record.before).toBe(before)
        expect(record.it).toEqual(field.normalise(it))
      }),
    )
  })

  test('has slots within their bits, and its default as what they are at first', () => {
    fc.assert(
      fc.property(values, (it) => {
        mapping.toSlots({ before: 0, it }, slots, 0)
        for (const [index, { bits }] of mapping.layout.entries()) {
          expect(slots[index]).toBeLessThan(2 ** bits)
        }
      }),
    )
    mapping.toSlots({ before: 0, it: field.makeDefault() }, slots, 0)
    expect(mapping.layout.map(({ initial }) => initial)).toEqual([
      ...slots.subarray(0, mapping.layout.length),
    ])
  })

  test('accepts of a stranger only slots that some record gives', () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), fc.nat(0xffff_ffff), (first, second) => {
        const given = Uint32Array.of(0, first, second)
        const bits = mapping.layout[1]?.bits ?? 32
        given[1] = bits === 32 ? first : first % 2 ** bits
        if (!mapping.isValid(given, 0)) return
        mapping.fromSlots(given, 0, record)
        expect(field.accepts(record.it)).toBe(true)
        const again = new Uint32Array(3)
        mapping.toSlots(record, again, 0)
        const used = mapping.layout.length
        expect([...again.subarray(0, used)]).toEqual([...given.subarray(0, used)])
      }),
    )
  })
})

test('slots have as few bits as the values need', () => {
  const { layout } = new InputMapping({
    a: bool,
    b: range(-3, 4),
    c: range(0, 8),
    d: i16,
    e: i32,
    f: oneOf(['x', 'y', 'z']),
    g: range(5, 5),
  })
  expect(layout.map(({ bits }) => bits)).toEqual([1, 3, 4, 16, 32, 2, 1])
})

test('a double takes two slots, a float one', () => {
  expect(new InputMapping({ a: f64 }).layout).toHaveLength(2)
  expect(new InputMapping({ a: f32 }).layout).toHaveLength(1)
})

test('a slot knows its default and whether it is let go after a tick', () => {
  const fields = { aim: i16.default(5), shot: bool.oneShot(), slow: f64.default(0.5).oneShot() }
  const { layout } = new InputMapping(fields)
  expect(layout).toEqual([
    { bits: 16, initial: 32_773, isOneShot: false },
    { bits: 1, initial: 0, isOneShot: true },
    { bits: 32, initial: 0, isOneShot: true },
    { bits: 32, initial: 0x3fe0_0000, isOneShot: true },
  ])
})

test.each([
  ['beyond a range', { a: range(0, 9) }, [10]],
  ['beyond the last word', { a: oneOf(['x', 'y', 'z']) }, [3]],
  ['a float that is minus zero', { a: f32 }, [0x8000_0000]],
  ['a float that is another NaN', { a: f32 }, [0x7fc0_0001]],
  ['a negative NaN', { a: f32 }, [0xffc0_0000]],
  ['a double that is minus zero', { a: f64 }, [0, 0x8000_0000]],
  ['a double that is another NaN', { a: f64 }, [1, 0x7ff8_0000]],
  ['a signalling NaN', { a: f64 }, [1, 0x7ff0_0000]],
])('slots %s are no record', (_title, fields, values) => {
  expect(new InputMapping(fields).isValid(Uint32Array.from(values), 0)).toBe(false)
})

test.each([
  ['a NaN', { a: f64 }, [0, 0x7ff8_0000], Number.NaN],
  ['infinity', { a: f64 }, [0, 0x7ff0_0000], Number.POSITIVE_INFINITY],
  ['minus infinity', { a: f32 }, [0xff80_0000], Number.NEGATIVE_INFINITY],
  ['the largest number', { a: u32 }, [0xffff_ffff], 0xffff_ffff],
  ['the smallest number', { a: i32 }, [0], -0x8000_0000],
])('slots of %s are a record', (_title, fields, values, wanted) => {
  const mapping = new InputMapping(fields)
  const record: { [name: string]: unknown } = {}
  expect(mapping.isValid(Uint32Array.from(values), 0)).toBe(true)
  mapping.fromSlots(Uint32Array.from(values), 0, record)
  expect(record.a).toBe(wanted)
})

test.each([
  ['a text', { a: text(5) }],
  ['a list', { a: list(u8, 5) }],
])('%s is no control that can be held', (_title, fields) => {
  expect(() => new InputMapping(fields)).toThrow("Input field 'a' is not one number")
})

test('an input without fields has no slots', () => {
  const mapping = new InputMapping({})
  expect(mapping.layout).toEqual([])
  expect(mapping.isValid(slots, 0)).toBe(true)
})
