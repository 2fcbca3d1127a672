import type { AnyField } from '../../sim/schema/field.ts'

/** How a slot is read. */
export type SlotForm = 'whole' | 'f32' | 'f64-low' | 'f64-high'

/** The forms, in the sequence of their numbers on the wire. */
export const slotForms: readonly [SlotForm, ...SlotForm[]] = ['whole', 'f32', 'f64-low', 'f64-high']

/**
 * The shape of an input without its meaning. A record of held controls becomes a row of unsigned
 * numbers, one or two per field: all that a relay needs to compare, repeat, check and pack it without
 * having the game installed.
 */
export interface InputSlot {
  /** Whole numbers from 0 to {@link max}, or a float as its bits: a double takes two slots. */
  readonly form: SlotForm
  /** The largest value. A slot has as many bits as this needs. */
  readonly max: number
  /** The value that a seat without a player holds. */
  readonly initial: number
  /** Whether it goes back to {@link initial} in the tick after it was set. */
  readonly isOneShot: boolean
}

/** The slots of one input, in the sequence of the fields. */
export type InputLayout = readonly InputSlot[]

/** The bits that a slot takes, 1 to 32. */
export function slotBits({ max }: InputSlot): number {
  return Math.max(32 - Math.clz32(max), 1)
}

const scratchF64 = new Float64Array(1)
const scratchF32 = new Float32Array(scratchF64.buffer)
const scratchU32 = new Uint32Array(scratchF64.buffer)

/** Turns records of held controls into slots and back. */
export class InputMapping {
  readonly layout: InputLayout
  readonly #entries: readonly Entry[]
  /** By slot: the field that it belongs to. */
  readonly #names: readonly string[]

  constructor(fields: { readonly [name: string]: AnyField }) {
    const layout: InputSlot[] = []
    const entries: Entry[] = []
    const names: string[] = []
    for (const [name, field] of Object.entries(fields)) {
      const entry = makeEntry(name, field, layout.length)
      entries.push(entry)
      entry.toSlots(field.makeDefault(), scratchSlots, 0)
      for (const [index, form] of entry.forms.entries()) {
        const initial = scratchSlots[index] as number
        layout.push({ form, max: entry.max, initial, isOneShot: field.isOneShot })
        names.push(name)
      }
    }
    this.layout = layout
    this.#entries = entries
    this.#names = names
  }

  /** Writes the slots of `record` from `start` on. */
  toSlots(record: { readonly [name: string]: unknown }, slots: Uint32Array, start: number): void {
    for (const entry of this.#entries) entry.toSlots(record[entry.name], slots, start + entry.first)
  }

  /** Fills `record` from slots, all of which must be valid: see `SlotValues`. */
  fromSlots(slots: Uint32Array, start: number, record: { [name: string]: unknown }): void {
    for (const entry of this.#entries)
      record[entry.name] = entry.fromSlots(slots, start + entry.first)
  }

  /** The fields that these slots belong to, each once; `mask` has a bit per slot. */
  fieldsOf(mask: number): readonly string[] {
    return [...new Set(this.#names.filter((_, slot) => ((mask >>> slot) & 1) === 1))]
  }
}

const scratchSlots = new Uint32Array(2)

interface Entry {
  readonly name: string
  readonly first: number
  readonly forms: readonly SlotForm[]
  readonly max: number
  toSlots(value: unknown, slots: Uint32Array, at: number): void
  fromSlots(slots: Uint32Array, at: number): unknown
}

function makeEntry(name: string, field: AnyField, first: number): Entry {
  const codec = field.column
  if (codec === undefined) throw new TypeError(`Input field '${name}' is not one number`)
  if (codec.type === 'f64') return doubleEntry(name, field, first)
  if (codec.type === 'f32') return floatEntry(name, field, first)
  const { min, max } = codec
  return {
    name,
    first,
    forms: ['whole'],
    max: max - min,
    toSlots: (value, slots, at) => {
      slots[at] = codec.toCell(value) - min
    },
    fromSlots: (slots, at) => codec.fromCell((slots[at] as number) + min),
  }
}

const allBits = 0xffff_ffff

function floatEntry(name: string, field: AnyField, first: number): Entry {
  return {
    name,
    first,
    forms: ['f32'],
    max: allBits,
    toSlots: (value, slots, at) => {
      scratchF32[0] = field.normalise(value) as number
      slots[at] = Number.isNaN(scratchF32[0]) ? 0x7fc0_0000 : (scratchU32[0] as number)
    },
    fromSlots: (slots, at) => {
      scratchU32[0] = slots[at] as number
      return scratchF32[0]
    },
  }
}

function doubleEntry(name: string, field: AnyField, first: number): Entry {
  return {
    name,
    first,
    forms: ['f64-low', 'f64-high'],
    max: allBits,
    toSlots: (value, slots, at) => {
      const number = field.normalise(value) as number
      scratchF64[0] = number
      slots[at] = Number.isNaN(number) ? 0 : (scratchU32[0] as number)
      slots[at + 1] = Number.isNaN(number) ? 0x7ff8_0000 : (scratchU32[1] as number)
    },
    fromSlots: (slots, at) => {
      scratchU32[0] = slots[at] as number
      scratchU32[1] = slots[at + 1] as number
      return scratchF64[0]
    },
  }
}
