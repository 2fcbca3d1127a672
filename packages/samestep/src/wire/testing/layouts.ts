/** Arbitrary layouts of inputs and arbitrary slots for them. */
import fc from 'fast-check'
import type { InputLayout, InputSlot } from '../ticks/input-layout.ts'
import { slotBits } from '../ticks/input-layout.ts'
import { slotOf } from './slot-of.ts'

/** A whole number of this many bits; the ends more often than chance would have them. */
export function valueOfBits(bits: number): fc.Arbitrary<number> {
  const max = 2 ** bits - 1
  return fc.oneof(
    fc.integer({ min: 0, max }),
    fc.constantFrom(0, max, Math.floor(max / 2), Math.ceil(max / 2)),
  )
}

const slot: fc.Arbitrary<InputSlot> = fc
  .oneof(fc.constant(1), fc.integer({ min: 1, max: 32 }), fc.constantFrom(8, 16, 32))
  .chain((bits) =>
    fc
      .tuple(valueOfBits(bits), fc.boolean())
      .map(([initial, isOneShot]) => slotOf(bits, initial, isOneShot)),
  )

/** From no slots to as many as there can be. */
export const layouts: fc.Arbitrary<InputLayout> = fc.oneof(
  fc.array(slot, { maxLength: 6 }),
  fc.array(slot, { minLength: 0, maxLength: 32 }),
  fc.array(slot, { minLength: 31, maxLength: 32 }),
)

/** One input: mostly the initial one, with some slots set. */
export function rowOf(layout: InputLayout): fc.Arbitrary<number[]> {
  return fc.tuple(
    ...layout.map((slot) =>
      fc.oneof({ weight: 3, arbitrary: fc.constant(slot.initial) }, valueOfBits(slotBits(slot))),
    ),
  )
}
