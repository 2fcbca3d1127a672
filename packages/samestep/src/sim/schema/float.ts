/**
 * Floating-point fields. Two machines may hold different bits for "not a number", and a negative
 * zero equals a positive one: both would make equal states differ in bytes. So there is one NaN and
 * no negative zero, in every encoding and every hash.
 */
import type { BitReader } from '../../base/bit-reader.ts'
import type { BitWriter } from '../../base/bit-writer.ts'
import type { Prng } from '../../base/prng.ts'
import type { Traits } from './base-field.ts'
import { BaseField, badValue, plainTraits } from './base-field.ts'
import { type ColumnCodec, type Json, shownAsIs } from './field.ts'
import { type RefSource, sampleFloat } from './sampling.ts'

/** The one quiet NaN: the bits that engines themselves produce for 0 / 0, sign cleared. */
const nan32 = 0x7fc0_0000
const nan64High = 0x7ff8_0000

const scratch = new DataView(new ArrayBuffer(8))

/** A 32-bit or 64-bit IEEE 754 number. */
export class FloatField extends BaseField<number> {
  readonly kind: 'f32' | 'f64'
  readonly column: ColumnCodec<number>
  readonly bitsMin: number
  readonly bitsMax: number

  constructor(kind: 'f32' | 'f64', traits: Traits<number> = plainTraits) {
    super(traits)
    this.kind = kind
    this.bitsMin = kind === 'f32' ? 32 : 64
    this.bitsMax = this.bitsMin
    this.column = {
      type: kind,
      min: Number.NEGATIVE_INFINITY,
      max: Number.POSITIVE_INFINITY,
      shown: shownAsIs,
      toCell: (value) => this.normalise(value),
      fromCell: (cell) => cell + 0,
    }
  }

  /** Two different numbers may round to the same f32, and the written map could not be read. */
  override get isKey(): boolean {
    return this.kind === 'f64'
  }

  write(out: BitWriter, value: number): void {
    const clean = this.normalise(value)
    const isNotNumber = Number.isNaN(clean)
    if (this.kind === 'f32') {
      scratch.setFloat32(0, clean, true)
      out.bits(isNotNumber ? nan32 : scratch.getUint32(0, true), 32)
    } else {
      scratch.setFloat64(0, clean, true)
      out.bits(isNotNumber ? 0 : scratch.getUint32(0, true), 32)
      out.bits(isNotNumber ? nan64High : scratch.getUint32(4, true), 32)
    }
  }

  read(input: BitReader): number {
    return this.kind === 'f32' ? read32(input) : read64(input)
  }

  accepts(value: unknown): value is number {
    return typeof value === 'number'
  }

  equals(a: number, b: number): boolean {
    const x = this.normalise(a)
    const y = this.normalise(b)
    return x === y || (Number.isNaN(x) && Number.isNaN(y))
  }

  normalise(value: number): number {
    // Adding 0 turns -0 into 0 and changes nothing else. Rounding first: a tiny number may become -0.
    return (this.kind === 'f32' ? Math.fround(value) : value) + 0
  }

  toJson(value: number): Json {
    const clean = this.normalise(value)
    return Number.isFinite(clean) ? clean : String(clean)
  }

  fromJson(json: Json, path: string): number {
    if (json === 'NaN') return Number.NaN
    if (json === 'Infinity') return Number.POSITIVE_INFINITY
    if (json === '-Infinity') return Number.NEGATIVE_INFINITY
    if (typeof json === 'number') return this.normalise(json)
    return badValue(path, json, 'a number, "NaN", "Infinity" or "-Infinity"')
  }

  sample(prng: Prng, _refs: RefSource): number {
    const value = sampleFloat(prng)
    return this.kind === 'f32' ? Math.fround(value) : value
  }

  protected refuse(value: unknown, path: string): never {
    badValue(path, value, 'a number')
  }

  protected makeZero(): number {
    return 0
  }

  protected describeLimits(): { readonly [key: string]: Json } {
    return {}
  }

  protected withTraits(traits: Traits<number>): this {
    return new FloatField(this.kind, traits) as this
  }
}

/** A 32-bit floating-point number. Values are rounded when they are written. */
export const f32 = new FloatField('f32')
/** A 64-bit floating-point number: any JavaScript number, except that -0 becomes 0. */
export const f64 = new FloatField('f64')

function read32(input: BitReader): number {
  const bits = input.bits(32)
  scratch.setUint32(0, bits, true)
  const value = scratch.getFloat32(0, true)
  if (bits === 0x8000_0000 || (Number.isNaN(value) && bits !== nan32)) refuseBits(input)
  return value
}

function read64(input: BitReader): number {
  const low = input.bits(32)
  const high = input.bits(32)
  scratch.setUint32(0, low, true)
  scratch.setUint32(4, high, true)
  const value = scratch.getFloat64(0, true)
  if (low === 0 && high === 0x8000_0000) refuseBits(input)
  if (Number.isNaN(value) && (low !== 0 || high !== nan64High)) refuseBits(input)
  return value
}

function refuseBits(input: BitReader): never {
  throw input.fault(
    'SS_WIRE_NOT_CANONICAL',
    'Cannot read a float: only one NaN and no negative zero is accepted',
  )
}
