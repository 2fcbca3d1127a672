/** Whole numbers: plain ones, ranges, fixed-point numbers, seats and references to rows. */
import { assert } from '../../base/assert.ts'
import type { BitReader } from '../../base/bit-reader.ts'
import type { BitWriter } from '../../base/bit-writer.ts'
import type { Prng } from '../../base/prng.ts'
import type { Traits } from './base-field.ts'
import { BaseField, badField, badValue, bitsFor, plainTraits, show } from './base-field.ts'
import { type ColumnCodec, type ColumnType, type Json, type ShownCell, shownAsIs } from './field.ts'
import { type RefSource, sampleInteger } from './sampling.ts'

const intTypes: readonly (readonly [ColumnType, number, number])[] = [
  ['u8', 0, 0xff],
  ['i8', -0x80, 0x7f],
  ['u16', 0, 0xffff],
  ['i16', -0x8000, 0x7fff],
  ['u32', 0, 0xffff_ffff],
  ['i32', -0x8000_0000, 0x7fff_ffff],
]

/** The smallest column that holds the range. */
function intColumn(min: number, max: number, shown: ShownCell): ColumnCodec<number> {
  const found = intTypes.find(([, low, high]) => min >= low && max <= high)!
  return { type: found[0], min, max, shown, toCell: sameNumber, fromCell: sameNumber }
}

function sameNumber(value: number): number {
  return value
}

/** What sets one kind of whole number apart from another. */
interface IntSpec {
  readonly kind: string
  readonly min: number
  readonly max: number
  /** Written as the distance from this, which then is the minimum; without it, in two's complement. */
  readonly base?: number
  /** A cell is JSON's number times this, and a picture's: 65536 for Q16.16, otherwise 1. */
  readonly scale: number
  readonly limits: { readonly [key: string]: Json }
}

/**
 * Whole numbers from `min` to `max`. One class for all kinds, so that the engine sees one shape in the
 * hot loops.
 */
export class IntField extends BaseField<number> {
  readonly kind: string
  readonly column: ColumnCodec<number>
  readonly bitsMin: number
  readonly bitsMax: number
  // Not `min` and `max`: `fixed` is this field and its arithmetic in one object, `fixed.min` included.
  private readonly lowest: number
  private readonly highest: number
  protected readonly spec: IntSpec
  /** What is taken off a value before it is written: the minimum of a range, otherwise 0. */
  private readonly base: number
  private readonly mask: number
  private readonly isSigned: boolean
  /** The shift that brings the sign of a two's complement to the top of a word. */
  private readonly signShift: number

  constructor(spec: IntSpec, traits: Traits<number> = plainTraits) {
    super(traits)
    const { kind, min, max, base = 0, scale } = spec
    this.spec = spec
    this.kind = kind
    this.lowest = min
    this.highest = max
    this.bitsMin = bitsFor(max - min)
    this.bitsMax = this.bitsMin
    this.base = base
    // A shift by 32 would be a shift by 0, hence from the other side.
    this.mask = this.bitsMin === 0 ? 0 : 0xffff_ffff >>> (32 - this.bitsMin)
    this.isSigned = base === 0 && min < 0
    this.signShift = 32 - this.bitsMin
    // Whole numbers wrap around where they end: 65 536 steps of a u16, 360 of range(0, 359).
    const turn = scale === 1 ? max - min + 1 : shownAsIs.turn
    const shown = { scale: 1 / scale, turn }
    this.column = intColumn(min, max, shown)
  }

  write(out: BitWriter, value: number): void {
    // A value outside would come back as another one, so that even the trusting path looks.
    if (!(value >= this.lowest && value <= this.highest)) failWrite(this.kind, value)
    out.bits((value - this.base) & this.mask, this.bitsMax)
  }

  read(input: BitReader): number {
    const raw = input.bits(this.bitsMax)
    const { signShift } = this
    const value = (this.isSigned ? (raw << signShift) >> signShift : raw) + this.base
    if (value <= this.highest) return value
    throw input.fault(
      'SS_WIRE_OUT_OF_RANGE',
      `Cannot read ${this.kind}: ${value} is above ${this.highest}`,
    )
  }

  accepts(value: unknown): value is number {
    return (
      Number.isInteger(value) &&
      (value as number) >= this.lowest &&
      (value as number) <= this.highest
    )
  }

  equals(a: number, b: number): boolean {
    return a === b
  }

  normalise(value: number): number {
    return value + 0
  }

  toJson(value: number): Json {
    return (value + 0) / this.spec.scale
  }

  fromJson(json: Json, path: string): number {
    const { scale } = this.spec
    const value = typeof json === 'number' ? json * scale + 0 : json
    if (this.accepts(value)) return value
    const unit = scale === 1 ? 'a whole number' : `a multiple of 1/${scale}`
    return badValue(path, json, `${unit} from ${this.lowest / scale} to ${this.highest / scale}`)
  }

  sample(prng: Prng, _refs: RefSource): number {
    return sampleInteger(this.lowest, this.highest, prng)
  }

  protected refuse(value: unknown, path: string): never {
    const { scale } = this.spec
    const isPart = scale !== 1 && typeof value === 'number' && !Number.isInteger(value)
    const hint = isPart ? `, as fixed.from(${value}) gives one` : ''
    badValue(path, value, `a whole number from ${this.lowest} to ${this.highest}${hint}`)
  }

  protected makeZero(): number {
    return this.lowest <= 0 && this.highest >= 0 ? 0 : this.lowest
  }

  protected describeLimits(): { readonly [key: string]: Json } {
    return this.spec.limits
  }

  protected withTraits(traits: Traits<number>): this {
    return new IntField(this.spec, traits) as this
  }
}

/** A ref to a row of another table, or 0 for none. */
export class RefField extends IntField {
  /** The name of the table that it points into. */
  readonly table: string

  constructor(table: string, traits: Traits<number> = plainTraits) {
    super({ kind: 'ref', min: 0, max: 0xffff_ffff, scale: 1, limits: { table } }, traits)
    this.table = table
  }

  override get refTables(): readonly string[] {
    return [this.table]
  }

  override sample(prng: Prng, refs: RefSource): number {
    return prng.chance(0.9) ? refs(this.table, prng) : prng.u32()
  }

  protected override withTraits(traits: Traits<number>): this {
    return new RefField(this.table, traits) as this
  }
}

function plainInt(kind: string, min: number, max: number): IntField {
  return new IntField({ kind, min, max, scale: 1, limits: {} })
}

/** A whole number from 0 to 255. */
export const u8 = plainInt('u8', 0, 0xff)
/** A whole number from 0 to 65 535. */
export const u16 = plainInt('u16', 0, 0xffff)
/** A whole number from 0 to 4 294 967 295. */
export const u32 = plainInt('u32', 0, 0xffff_ffff)
/** A whole number from -128 to 127. */
export const i8 = plainInt('i8', -0x80, 0x7f)
/** A whole number from -32 768 to 32 767. */
export const i16 = plainInt('i16', -0x8000, 0x7fff)
/** A whole number from -2 147 483 648 to 2 147 483 647. */
export const i32 = plainInt('i32', -0x8000_0000, 0x7fff_ffff)
/** The number of a seat, 0 to 63. A match has at most 64, so that a set of seats fits in two words. */
export const seat = plainInt('seat', 0, 63)
/** A field like {@link fixedField} in an object of its own, to which arithmetic may be added. */
export function makeFixedField(): IntField {
  const [min, max] = [-0x8000_0000, 0x7fff_ffff]
  return new IntField({ kind: 'fixed', min, max, scale: 0x1_0000, limits: {} })
}

/**
 * A fixed-point number, Q16.16: the value is the raw whole number, 65 536 for 1. JSON shows it
 * divided, which loses nothing.
 */
export const fixedField = makeFixedField()

/**
 * A whole number from `min` to `max`, inclusive, in as few bits as possible: `range(0, 100)` takes 7. Its
 * default is 0, or `min` if 0 is outside the range.
 */
export function range(min: number, max: number): IntField {
  const what = `range(${show(min)}, ${show(max)})`
  if (!Number.isInteger(min) || !Number.isInteger(max)) badField(what, 'needs two whole numbers')
  if (min > max) badField(what, 'needs its minimum first')
  const fits = (min >= 0 && max <= 0xffff_ffff) || (min >= -0x8000_0000 && max <= 0x7fff_ffff)
  if (!fits) badField(what, 'must lie within 32 bits, signed or unsigned')
  return new IntField({
    kind: 'range',
    min: min + 0,
    max: max + 0,
    base: min + 0,
    scale: 1,
    limits: { min: min + 0, max: max + 0 },
  })
}

/** A ref to a row of the table named `table`, or 0 for none. */
export function ref(table: string): RefField {
  if (typeof table !== 'string' || table === '') {
    badField(`ref(${show(table)})`, 'needs the name of a table')
  }
  return new RefField(table)
}

function failWrite(kind: string, value: number): never {
  assert(false, `Cannot write ${value} as ${kind}: it is outside`)
}
