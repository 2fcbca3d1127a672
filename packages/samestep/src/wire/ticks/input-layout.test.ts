import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bool,
  f32,
  f64,
  i16,
  i32,
  list,
  oneOf,
  range,
  text,
  u8,
  u32,
} from '../../sim/schema/index.ts'
import { scalarCases } from '../../sim/schema/testing/arbitraries.ts'
import { slotOf } from '../testing/slot-of.ts'
import { InputMapping, slotBits } from './input-layout.ts'
import { findLayoutFault, SlotValues } from './slot-values.ts'

const slots = new Uint32Array(8)

describe.each(scalarCases)('an input of $name', ({ field, values }) => {
  const mapping = new InputMapping({ before: u8, it: field })
  const slotValues = new SlotValues(mapping.layout)
  const record: { [name: string]: unknown } = {}

  test('comes back from its slots as a save would give it back', () => {
    fc.assert(
      fc.property(values, fc.nat(255), (it, before) => {
        mapping.toSlots({ before, it }, slots, 1)
        expect(slotValues.wrongMask(slots, 1)).toBe(0)
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
        for (const [index, { max }] of mapping.layout.entries()) {
          expect(slots[index]).toBeLessThanOrEqual(max)
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
        given[1] = first % 2 ** slotBits(mapping.layout[1]!)
        if (slotValues.wrongMask(given, 0) !== 0) return
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
  expect(layout.map(slotBits)).toEqual([1, 3, 4, 16, 32, 2, 1])
})

test('a double takes two slots, a float one', () => {
  expect(new InputMapping({ a: f64 }).layout).toHaveLength(2)
  expect(new InputMapping({ a: f32 }).layout).toHaveLength(1)
})

test('a slot knows its default and whether it is let go after a tick', () => {
  const fields = { aim: i16.default(5), shot: bool.oneShot(), slow: f64.default(0.5).oneShot() }
  const { layout } = new InputMapping(fields)
  expect(layout).toEqual([
    slotOf(16, 32_773),
    slotOf(1, 0, true),
    { ...slotOf(32, 0, true), form: 'f64-low' },
    { ...slotOf(32, 0x3fe0_0000, true), form: 'f64-high' },
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
  const { layout } = new InputMapping(fields)
  const slots = Uint32Array.from(values)
  const mask = new SlotValues(layout).repair(slots, 0)
  expect(mask).toBe(2 ** values.length - 1)
  expect([...slots]).toEqual(layout.map(({ initial }) => initial))
  expect(new InputMapping(fields).fieldsOf(mask)).toEqual(['a'])
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
  expect(new SlotValues(mapping.layout).wrongMask(Uint32Array.from(values), 0)).toBe(0)
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
  expect(new SlotValues(mapping.layout).wrongMask(slots, 0)).toBe(0)
})

test('what is right stays when another slot is repaired', () => {
  const mapping = new InputMapping({ a: range(0, 9).default(4), b: u8, c: f64.default(2), d: bool })
  const slots = Uint32Array.of(99, 10, 7, 1, 0x7ff8_0000, 1)
  const mask = new SlotValues(mapping.layout).repair(slots, 1)
  const record: { [name: string]: unknown } = {}
  mapping.fromSlots(slots, 1, record)
  expect(record).toEqual({ a: 4, b: 7, c: 2, d: true })
  expect(mapping.fieldsOf(mask)).toEqual(['a', 'c'])
  expect(slots[0]).toBe(99)
})

const low = { ...slotOf(32), form: 'f64-low' } as const
const high = { ...slotOf(32), form: 'f64-high' } as const

test.each([
  ['no slots', [], undefined],
  ['a double', [slotOf(3), low, high], undefined],
  [
    'an initial value above the largest',
    [slotOf(3), slotOf(4, 16)],
    'The initial value of slot 1 is none of its values',
  ],
  ['a low half alone', [low, slotOf(1)], 'Slot 0 has half a double'],
  ['a low half at the end', [slotOf(1), low], 'Slot 1 has half a double'],
  ['a high half first', [high], 'Slot 0 has half a double'],
  ['a high half alone', [slotOf(1), high], 'Slot 0 has half a double'],
  [
    'a float of few bits',
    [{ ...slotOf(8), form: 'f32' as const }],
    'Slot 0 is a float of fewer bits',
  ],
  [
    'an initial NaN of another kind',
    [{ ...slotOf(32, 0x7fc0_0001), form: 'f32' as const }],
    'The initial value of slot 0 is none of its values',
  ],
])('a layout with %s is judged', (_title, layout, fault) => {
  expect(findLayoutFault(layout)).toBe(fault)
})
