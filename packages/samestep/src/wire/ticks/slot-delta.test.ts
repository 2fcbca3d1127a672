import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BitReader } from '../../base/bit-reader.ts'
import { BitWriter } from '../../base/bit-writer.ts'
import { layouts, rowOf, valueOfBits } from '../testing/layouts.ts'
import { refusalOf } from '../testing/properties.ts'
import { slotOf } from '../testing/slot-of.ts'
import type { InputLayout } from './input-layout.ts'
import { slotBits } from './input-layout.ts'
import { SlotDelta, slotDeltaBitsMax } from './slot-delta.ts'

const out = new BitWriter()
const held = (bits: number, initial = 0) => slotOf(bits, initial)
const shot = (bits: number, initial = 0) => slotOf(bits, initial, true)

/** What {@link bitsOf} gives where there is no difference. */
const nothing = 'nothing'

/** The bits of a difference as text, the first bit first. */
function bitsOf(layout: InputLayout, previous: number[], slots: number[]): string {
  const delta = new SlotDelta(layout)
  const [before, after] = [Uint32Array.from(previous), Uint32Array.from(slots)]
  const mask = delta.changedMask(before, 0, after, 0)
  if (mask === 0) return nothing
  out.reset()
  delta.write(out, mask, before, 0, after, 0)
  const input = new BitReader(out.finish())
  return Array.from({ length: out.bitLength }, () => input.bits(1)).join('')
}

function read(layout: InputLayout, previous: number[], bits: string): number[] {
  out.reset()
  for (const bit of bits) out.bits(Number(bit), 1)
  const slots = new Uint32Array(layout.length)
  const input = new BitReader(out.finish())
  new SlotDelta(layout).read(input, Uint32Array.from(previous), 0, slots, 0)
  input.end()
  return [...slots]
}

test('any input comes back from its difference to any other', () => {
  fc.assert(
    fc.property(
      layouts.chain((layout) => fc.tuple(fc.constant(layout), rowOf(layout), rowOf(layout))),
      ([layout, previous, slots]) => {
        const bits = bitsOf(layout, previous, slots)
        const held = layout.map((slot, index) => (slot.isOneShot ? slot.initial : previous[index]))
        if (bits === nothing) {
          expect(slots).toEqual(held)
          return
        }
        expect(read(layout, previous, bits)).toEqual(slots)
        expect(bits.length).toBeLessThanOrEqual(slotDeltaBitsMax(layout))
      },
    ),
    { numRuns: 600 },
  )
})

test('any bits are refused, or are the one form of what they say', () => {
  fc.assert(
    fc.property(
      layouts
        .filter(({ length }) => length > 0)
        .chain((layout) => fc.tuple(fc.constant(layout), rowOf(layout))),
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      ([layout, previous], noise) => {
        const delta = new SlotDelta(layout)
        const [before, after] = [Uint32Array.from(previous), new Uint32Array(layout.length)]
        const input = new BitReader(noise)
        if (refusalOf(() => delta.read(input, before, 0, after, 0)) !== undefined) return
        for (const [index, slot] of layout.entries()) {
          const bits = slotBits(slot)
          expect(after[index]).toBeLessThan(2 ** bits)
        }
        const used = noise.length * 8 - input.remainingBits
        const text = bitsOf(layout, previous, [...after])
        input.reset(noise)
        expect(Array.from({ length: used }, () => input.bits(1)).join('')).toBe(text)
      },
    ),
    { numRuns: 600 },
  )
})

test('every change of every width up to 8 bits has one form, and all forms differ', () => {
  for (let bits = 1; bits <= 8; bits++) {
    const layout = [held(bits)]
    const last = 2 ** bits - 1
    for (const from of [0, 1, last >> 1, last]) {
      const forms = new Set<string>()
      for (let to = 0; to <= last; to++) {
        if (to === from) continue
        const form = bitsOf(layout, [from], [to])
        expect(read(layout, [from], form)).toEqual([to])
        forms.add(form)
      }
      expect(forms.size).toBe(last)
    }
  }
})

test('slots of 32 bits wrap around exactly', () => {
  fc.assert(
    fc.property(valueOfBits(32), valueOfBits(32), (from, to) => {
      fc.pre(from !== to)
      expect(read([held(32)], [from], bitsOf([held(32)], [from], [to]))).toEqual([to])
    }),
  )
})

describe('how many bits it takes', () => {
  const pad: InputLayout = [held(1), held(16), held(1), held(8), shot(4)]
  const rest = [0, 1_000, 0, 100, 0]

  test.each([
    // One bit names the widest slot; four say how long the change is.
    ['the widest slot by one', [0, 1_001, 0, 100, 0], 1 + 4 + 1],
    ['the widest slot by -1', [0, 999, 0, 100, 0], 1 + 4 + 0],
    ['the widest slot by 20', [0, 1_020, 0, 100, 0], 1 + 4 + 5],
    ['a button', [1, 1_000, 0, 100, 0], 1 + 3],
    ['a stick by 3', [0, 1_000, 0, 103, 0], 1 + 3 + 3 + 2],
    ['two buttons', [1, 1_000, 1, 100, 0], 1 + 3 + 5],
    ['a shot', [0, 1_000, 0, 100, 5], 1 + 3 + 2 + 3],
  ])('%s', (_title, slots, bits) => {
    expect(bitsOf(pad, rest, slots).length).toBe(bits)
  })

  test('without a widest slot, every slot has a number', () => {
    const buttons = Array.from({ length: 10 }, () => held(1))
    const pressed = buttons.map((_, index) => (index === 7 ? 1 : 0))
    expect(bitsOf(buttons, new Array<number>(10).fill(0), pressed).length).toBe(4)
  })

  test('the only slot needs no name', () => {
    expect(bitsOf([held(1)], [0], [1])).toBe('')
    expect(read([held(1)], [0], '')).toEqual([1])
    expect(bitsOf([held(2)], [0], [1])).toBe('10')
  })
})

describe('one-shots', () => {
  const layout = [shot(1), shot(4, 3)]

  test('are measured against what they are at first, not against the tick before', () => {
    expect(bitsOf(layout, [1, 9], [0, 3])).toBe(nothing)
    expect(bitsOf(layout, [1, 9], [1, 9])).toBe(bitsOf(layout, [0, 3], [1, 9]))
  })

  test('are let go when nothing new is known', () => {
    const slots = new Uint32Array(2)
    new SlotDelta(layout).writeHeld(Uint32Array.of(1, 9), 0, slots, 0)
    expect([...slots]).toEqual([0, 3])
  })
})

test('reads in place, over what it is relative to', () => {
  const layout = [held(8), shot(1), held(16)]
  const delta = new SlotDelta(layout)
  const slots = Uint32Array.of(99, 7, 1, 500, 99)
  out.reset()
  delta.write(out, 0b101, slots, 1, Uint32Array.of(8, 0, 400), 0)
  delta.read(new BitReader(out.finish()), slots, 1, slots, 1)
  expect([...slots]).toEqual([99, 8, 0, 400, 99])
})

test.each([
  ['a number behind the last slot', [held(1), held(1), held(1), held(1)], '101', 'OUT_OF_RANGE'],
  ['several slots that are none', [held(1), held(1)], '0100', 'NOT_CANONICAL'],
  ['several slots that are one', [held(1), held(1)], '0101', 'NOT_CANONICAL'],
  ['a change that is longer than its slot', [held(3)], '11', 'OUT_OF_RANGE'],
  ['a difference that breaks off', [held(16)], '1111', 'TRUNCATED'],
  ['a difference where there are no slots', [], '0', 'NOT_CANONICAL'],
] as const)('refuses %s', (_title, layout, bits, code) => {
  const previous = layout.map(() => 0)
  expect(refusalOf(() => read(layout, previous, bits))).toBe(`SS_WIRE_${code}`)
})

test('no layout has a longer difference than it says', () => {
  const layout = [held(32), held(31), held(7)]
  // Half of the range away is the longest change, and all slots at once the longest mask.
  const bits = bitsOf(layout, [0, 0, 0], [2 ** 31, 2 ** 30, 2 ** 6])
  expect(bits.length).toBe(slotDeltaBitsMax(layout))
  expect(slotDeltaBitsMax([])).toBe(0)
  expect(slotDeltaBitsMax([held(1)])).toBe(0)
})
