/** Values that are one of a few: true or false, or a word of a list. */
import type { BitReader } from '../../base/bit-reader.ts'
import type { BitWriter } from '../../base/bit-writer.ts'
import type { Prng } from '../../base/prng.ts'
import type { Traits } from './base-field.ts'
import { BaseField, badField, badValue, bitsFor, plainTraits, show } from './base-field.ts'
import { type ColumnCodec, type Json, shownAsIs } from './field.ts'
import type { RefSource } from './sampling.ts'

/** True or false: one bit, or a cell of 0 or 1. */
export class BoolField extends BaseField<boolean> {
  readonly kind = 'bool'
  readonly bitsMin = 1
  readonly bitsMax = 1
  readonly column: ColumnCodec<boolean> = {
    type: 'u8',
    min: 0,
    max: 1,
    shown: shownAsIs,
    toCell: (value) => (value ? 1 : 0),
    fromCell: (cell) => cell !== 0,
  }

  constructor(traits: Traits<boolean> = plainTraits) {
    super(traits)
  }

  write(out: BitWriter, value: boolean): void {
    out.bits(value ? 1 : 0, 1)
  }

  read(input: BitReader): boolean {
    return input.bits(1) === 1
  }

  accepts(value: unknown): value is boolean {
    return typeof value === 'boolean'
  }

  equals(a: boolean, b: boolean): boolean {
    return a === b
  }

  normalise(value: boolean): boolean {
    return value
  }

  toJson(value: boolean): Json {
    return value
  }

  fromJson(json: Json, path: string): boolean {
    return this.accepts(json) ? json : this.refuse(json, path)
  }

  sample(prng: Prng, _refs: RefSource): boolean {
    return prng.chance(0.5)
  }

  protected refuse(value: unknown, path: string): never {
    badValue(path, value, 'true or false')
  }

  protected makeZero(): boolean {
    return false
  }

  protected describeLimits(): { readonly [key: string]: Json } {
    return {}
  }

  protected withTraits(traits: Traits<boolean>): this {
    return new BoolField(traits) as this
  }
}

/** Words of one declaration: as many as a cell of 16 bits can count. */
const wordsMax = 0x1_0000

/** Error messages list this many words: enough for most lists, and they fit on a screen. */
const shownWordsMax = 8

/** One of a few words, encoded and stored as its position in the declaration. */
export class OneOfField<V extends string> extends BaseField<V> {
  readonly kind = 'oneOf'
  readonly column: ColumnCodec<V>
  readonly bitsMin: number
  readonly bitsMax: number
  /** The words in the sequence of their declaration. The first one is the default. */
  readonly values: readonly V[]
  private readonly indexes: ReadonlyMap<unknown, number>

  constructor(values: readonly V[], traits: Traits<V> = plainTraits) {
    super(traits)
    this.values = values
    this.indexes = new Map(values.map((value, index) => [value, index]))
    this.bitsMin = bitsFor(values.length - 1)
    this.bitsMax = this.bitsMin
    this.column = {
      type: values.length <= 0x100 ? 'u8' : 'u16',
      min: 0,
      max: values.length - 1,
      shown: shownAsIs,
      toCell: (value) => this.indexOf(value),
      fromCell: (cell) => values[cell]!,
    }
  }

  /** The number that represents `value` in bits and cells. Throws `SS_BAD_VALUE` for other words. */
  indexOf(value: V): number {
    return this.indexes.get(value) ?? this.refuse(value, this.kind)
  }

  write(out: BitWriter, value: V): void {
    out.bits(this.indexOf(value), this.bitsMax)
  }

  read(input: BitReader): V {
    const index = input.bits(this.bitsMax)
    const value = this.values[index]
    if (value !== undefined) return value
    throw input.fault(
      'SS_WIRE_OUT_OF_RANGE',
      `Cannot read oneOf: ${index} is not one of ${this.values.length} values`,
    )
  }

  accepts(value: unknown): value is V {
    return this.indexes.has(value)
  }

  equals(a: V, b: V): boolean {
    return a === b
  }

  normalise(value: V): V {
    return value
  }

  toJson(value: V): Json {
    return value
  }

  fromJson(json: Json, path: string): V {
    return this.accepts(json) ? json : this.refuse(json, path)
  }

  sample(prng: Prng, _refs: RefSource): V {
    return prng.pick(this.values)
  }

  protected refuse(value: unknown, path: string): never {
    const shown = this.values.slice(0, shownWordsMax).map(show).join(', ')
    badValue(path, value, `one of ${shown}${this.values.length > shownWordsMax ? ', …' : ''}`)
  }

  protected makeZero(): V {
    return this.values[0]!
  }

  protected describeLimits(): { readonly [key: string]: Json } {
    return { values: [...this.values] }
  }

  protected withTraits(traits: Traits<V>): this {
    return new OneOfField(this.values, traits) as this
  }
}

/** True or false, in one bit. */
export const bool = new BoolField()

/** One of these words: `oneOf(['idle', 'walk', 'dead'])`. Adding a word at the end keeps compatibility. */
export function oneOf<const V extends string>(values: readonly V[]): OneOfField<V> {
  if (!Array.isArray(values) || values.length < 1 || values.length > wordsMax) {
    badField('oneOf', `needs an array of 1 to ${wordsMax} words`)
  }
  const copy = [...values]
  for (const value of copy) {
    if (typeof value !== 'string') badField(`oneOf with ${show(value)}`, 'takes nothing but words')
  }
  if (new Set(copy).size !== copy.length) badField('oneOf', 'needs each word once')
  return new OneOfField(copy)
}
