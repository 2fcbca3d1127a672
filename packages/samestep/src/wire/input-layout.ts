import type { AnyField } from '../sim/schema/field.ts'

/**
 * The shape of an input without its meaning. A record of held controls becomes a row of unsigned
 * numbers, one or two per field: all that a relay needs to compare, repeat and pack it, with nothing
 * of the game installed on it.
 */
export interface InputSlot {
  /** 1 to 32. */
  readonly bits: number
  /** The value that a seat without a player holds. */
  readonly initial: number
  /** Back to {@link initial} in the tick after it was set. */
  readonly isOneShot: boolean
}

/** The slots of one input, in the sequence of the fields. */
export type InputLayout = readonly InputSlot[]

const scratchF64 = new Float64Array(1)
const scratchF32 = new Float32Array(scratchF64.buffer)
const scratchU32 = new Uint32Array(scratchF64.buffer)

/** Turns records of held controls into slots and back. */
export class InputMapping {
  readonly layout: InputLayout
  readonly #entries: readonly Entry[]

  constructor(fields: { readonly [name: string]: AnyField }) {
    const layout: InputSlot[] = []
    const entries: Entry[] = []
    for (const [name, field] of Object.entries(fields)) {
      const entry = makeEntry(name, field, layout.length)
      entries.push(entry)
      entry.toSlots(field.makeDefault(), scratchSlots, 0)
      for (let index = 0; index < entry.slotCount; index++) {
        layout.push({
          bits: entry.bits,
          initial: scratchSlots[index] as number,
          isOneShot: field.isOneShot,
        })
      }
    }
    this.layout = layout
    this.#entries = entries
  }

  /** Writes the slots of `record` from `start` on. */
  toSlots(record: { readonly [name: string]: unknown }, slots: Uint32Array, start: number): void {
    for (const entry of this.#entries) entry.toSlots(record[entry.name], slots, start + entry.first)
  }

  /** Fills `record` from slots. Slots within their bits may still be no value: see {@link isValid}. */
  fromSlots(slots: Uint32Array, start: number, record: { [name: string]: unknown }): void {
    for (const entry of this.#entries)
      record[entry.name] = entry.fromSlots(slots, start + entry.first)
  }

  /** Whether a stranger's slots are what some record gives: in range, and canonical. */
  isValid(slots: Uint32Array, start: number): boolean {
    for (const entry of this.#entries) {
      if (!entry.isValid(slots, start + entry.first)) return false
    }
    return true
  }
}

const scratchSlots = new Uint32Array(2)

interface Entry {
  readonly name: string
  readonly first: number
  readonly slotCount: 1 | 2
  readonly bits: number
  toSlots(value: unknown, slots: Uint32Array, at: number): void
  fromSlots(slots: Uint32Array, at: number): unknown
  isValid(slots: Uint32Array, at: number): boolean
}

function makeEntry(name: string, field: AnyField, first: number): Entry {
  const codec = field.column
  if (codec === undefined) throw new TypeError(`Input field '${name}' is not one number`)
  if (codec.type === 'f64') return doubleEntry(name, field, first)
  if (codec.type === 'f32') return floatEntry(name, field, first)
  const { min, max } = codec
  const bits = Math.max(32 - Math.clz32(max - min), 1)
  return {
    name,
    first,
    slotCount: 1,
    bits,
    toSlots: (value, slots, at) => {
      slots[at] = codec.toCell(value) - min
    },
    fromSlots: (slots, at) => codec.fromCell((slots[at] as number) + min),
    isValid: (slots, at) => (slots[at] as number) <= max - min,
  }
}

function floatEntry(name: string, field: AnyField, first: number): Entry {
  return {
    name,
    first,
    slotCount: 1,
    bits: 32,
    toSlots: (value, slots, at) => {
      scratchF32[0] = field.normalise(value) as number
      slots[at] = Number.isNaN(scratchF32[0]) ? 0x7fc0_0000 : (scratchU32[0] as number)
    },
    fromSlots: (slots, at) => {
      scratchU32[0] = slots[at] as number
      return scratchF32[0]
    },
    isValid: (slots, at) => {
      const bits = slots[at] as number
      const isNan = (bits & 0x7fff_ffff) > 0x7f80_0000
      return bits !== 0x8000_0000 && (!isNan || bits === 0x7fc0_0000)
    },
  }
}

function doubleEntry(name: string, field: AnyField, first: number): Entry {
  return {
    name,
    first,
    slotCount: 2,
    bits: 32,
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
    isValid: (slots, at) => {
      const lo = slots[at] as number
      const hi = slots[at + 1] as number
      const high = hi & 0x7fff_ffff
      const isNan = high > 0x7ff0_0000 || (high === 0x7ff0_0000 && lo !== 0)
      const isNegativeZero = hi === 0x8000_0000 && lo === 0
      return !isNegativeZero && (!isNan || (hi === 0x7ff8_0000 && lo === 0))
    },
  }
}
