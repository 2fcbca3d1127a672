/**
 * Checks which values of a slot are valid for its field. A slot of three bits can hold eight numbers,
 * and `range(-2, 2)` has five; a float has many ways to write "not a number", and a field has one.
 *
 * No honest client sends an invalid value, but a stranger can. A relay refuses them and seals none.
 * If a bundle has one all the same, every machine takes the slot's initial value instead, also as the
 * baseline of the next change: a bad value does not end a match.
 */
import type { InputLayout, SlotForm } from './input-layout.ts'

/** The one valid NaN of each kind of float, and the zero that is valid in neither. */
const nan32 = 0x7fc0_0000
const nan64High = 0x7ff8_0000
const minusZero = 0x8000_0000

/** Checks the slots of one input. */
export class SlotValues {
  readonly #slotCount: number
  readonly #max: Uint32Array
  readonly #initial: Uint32Array
  /** The slots with single floats: few inputs have any. */
  readonly #singles: readonly number[]
  /** The low halves of doubles; the high half is the next slot. */
  readonly #doubles: readonly number[]

  constructor(layout: InputLayout) {
    this.#slotCount = layout.length
    this.#max = Uint32Array.from(layout, ({ max }) => max)
    this.#initial = Uint32Array.from(layout, ({ initial }) => initial)
    this.#singles = slotsOf(layout, 'f32')
    this.#doubles = slotsOf(layout, 'f64-low')
  }

  /** A bit per slot with an invalid value; both halves of a double count as wrong. */
  wrongMask(slots: Uint32Array, at: number): number {
    let mask = 0
    for (let index = 0; index < this.#slotCount; index++) {
      if ((slots[at + index] as number) > (this.#max[index] as number)) mask |= 1 << index
    }
    for (const index of this.#singles) {
      if (!isSingle(slots[at + index] as number)) mask |= 1 << index
    }
    for (const index of this.#doubles) {
      const isRight = isDouble(slots[at + index] as number, slots[at + index + 1] as number)
      if (!isRight) mask |= 3 << index
    }
    return mask
  }

  /** Replaces invalid values by initial ones, and returns {@link wrongMask}. */
  repair(slots: Uint32Array, at: number): number {
    const mask = this.wrongMask(slots, at)
    if (mask === 0) return 0
    for (let index = 0; index < this.#slotCount; index++) {
      if (((mask >>> index) & 1) === 1) slots[at + index] = this.#initial[index] as number
    }
    return mask
  }
}

function isSingle(bits: number): boolean {
  const isNan = (bits & 0x7fff_ffff) > 0x7f80_0000
  return bits !== minusZero && (!isNan || bits === nan32)
}

function isDouble(low: number, high: number): boolean {
  const size = high & 0x7fff_ffff
  const isNan = size > 0x7ff0_0000 || (size === 0x7ff0_0000 && low !== 0)
  const isNegativeZero = high === minusZero && low === 0
  return !isNegativeZero && (!isNan || (high === nan64High && low === 0))
}

function slotsOf(layout: InputLayout, form: SlotForm): number[] {
  return layout.flatMap((slot, index) => (slot.form === form ? [index] : []))
}

/**
 * What is wrong with a layout that a stranger sent, as a sentence, or `undefined`: a slot must be
 * able to hold its initial value, a float needs all bits, and both halves of a double must be
 * adjacent.
 */
export function findLayoutFault(layout: InputLayout): string | undefined {
  for (const [index, { form, max }] of layout.entries()) {
    if (form !== 'whole' && max !== 0xffff_ffff) return `Slot ${index} is a float of fewer bits`
    const isLow = form === 'f64-low'
    const isHighNext = layout[index + 1]?.form === 'f64-high'
    if (isLow !== isHighNext) return `Slot ${index} has half a double`
  }
  if (layout[0]?.form === 'f64-high') return 'Slot 0 has half a double'
  const initial = Uint32Array.from(layout, (slot) => slot.initial)
  const mask = new SlotValues(layout).wrongMask(initial, 0)
  if (mask === 0) return undefined
  return `The initial value of slot ${31 - Math.clz32(mask & -mask)} is none of its values`
}
