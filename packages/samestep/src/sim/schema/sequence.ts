/** Values of variable length: lists, bytes and texts. Each has a maximum and a count in front. */
import type { BitReader } from '../../base/bit-reader.ts'
import type { BitWriter } from '../../base/bit-writer.ts'
import { WireError } from '../../base/errors.ts'
import type { Prng } from '../../base/prng.ts'
import { decodeUtf8, isWellFormed, utf8Length, writeUtf8 } from '../../base/utf8.ts'
import type { Traits } from './base-field.ts'
import {
  BaseField,
  badField,
  badValue,
  bitsFor,
  checkField,
  checkMax,
  plainTraits,
} from './base-field.ts'
import type { AnyField, Field, Json } from './field.ts'
import { type RefSource, sampleLength } from './sampling.ts'

/**
 * Reads a count of things of at least `bitsEach` bits, and refuses it before anything is allocated
 * when it is larger than `max` or than what the bytes can hold.
 */
export function readCount(input: BitReader, max: number, bitsEach: number): number {
  const count = input.bits(bitsFor(max))
  if (count > max) {
    throw input.fault('SS_WIRE_TOO_LARGE', `Cannot read ${count} items: the maximum is ${max}`)
  }
  // At least one: in an old version, all fields of an item may be missing, and items cost nothing.
  if (count * Math.max(bitsEach, 1) > input.remainingBits) {
    throw input.fault('SS_WIRE_TRUNCATED', `Cannot read ${count} items: the bytes end before`)
  }
  return count
}

/** Refuses items of no bits: their count alone would let a stranger ask for any amount of memory. */
export function checkItem(what: string, item: AnyField): void {
  checkField(what, item)
  if (item.bitsMin > 0) return
  badField(what, 'needs items of at least one bit: a constant carries nothing')
}

/** Up to `max` values of one type. */
export class ListField<T> extends BaseField<T[]> {
  readonly kind = 'list'
  readonly column = undefined
  readonly bitsMin: number
  readonly bitsMax: number
  readonly item: Field<T>
  readonly max: number

  constructor(item: Field<T>, max: number, traits: Traits<T[]> = plainTraits) {
    super(traits)
    this.item = item
    this.max = max
    this.bitsMin = bitsFor(max)
    this.bitsMax = this.bitsMin + max * item.bitsMax
  }

  write(out: BitWriter, value: T[]): void {
    out.bits(value.length, this.bitsMin)
    for (let index = 0; index < value.length; index++) this.item.write(out, value[index]!)
  }

  read(input: BitReader): T[] {
    const count = readCount(input, this.max, this.item.bitsMin)
    const value: T[] = []
    for (let index = 0; index < count; index++) value.push(this.item.read(input))
    return value
  }

  accepts(value: unknown): value is T[] {
    if (!Array.isArray(value) || value.length > this.max) return false
    for (let index = 0; index < value.length; index++) {
      if (!this.item.accepts(value[index])) return false
    }
    return true
  }

  equals(a: T[], b: T[]): boolean {
    if (a.length !== b.length) return false
    for (let index = 0; index < a.length; index++) {
      if (!this.item.equals(a[index]!, b[index]!)) return false
    }
    return true
  }

  normalise(value: T[]): T[] {
    for (let index = 0; index < value.length; index++) {
      const before = value[index]!
      const after = this.item.normalise(before)
      // Untouched where nothing changes, so that a frozen list stays usable.
      if (!Object.is(before, after)) value[index] = after
    }
    return value
  }

  override copy(value: T[]): T[] {
    return value.map((item) => this.item.copy(item))
  }

  toJson(value: T[]): Json {
    return value.map((item) => this.item.toJson(item))
  }

  fromJson(json: Json, path: string): T[] {
    if (!Array.isArray(json) || json.length > this.max) return this.refuse(json, path)
    return json.map((item: Json, index) => this.item.fromJson(item, `${path}[${index}]`))
  }

  override atVersion(version: number): Field<T[]> {
    const item = this.item.atVersion(version)
    return item === this.item ? this : new ListField(item, this.max, this.traits)
  }

  protected refuse(value: unknown, path: string): never {
    if (Array.isArray(value) && value.length <= this.max) {
      for (let index = 0; index < value.length; index++) {
        this.item.check(value[index], `${path}[${index}]`)
      }
    }
    badValue(path, value, `an array of at most ${this.max} items`)
  }

  override get refTables(): readonly string[] {
    return this.item.refTables
  }

  sample(prng: Prng, refs: RefSource): T[] {
    const length = sampleLength(this.max, prng)
    return Array.from({ length }, () => this.item.sample(prng, refs))
  }

  protected makeZero(): T[] {
    return []
  }

  protected describeLimits(): { readonly [key: string]: Json } {
    return { max: this.max, item: this.item.describe() }
  }

  protected withTraits(traits: Traits<T[]>): this {
    return new ListField(this.item, this.max, traits) as this
  }
}

/** Up to `max` raw bytes. */
export class BytesField extends BaseField<Uint8Array> {
  readonly kind = 'bytes'
  readonly column = undefined
  readonly bitsMin: number
  readonly bitsMax: number
  readonly max: number

  constructor(max: number, traits: Traits<Uint8Array> = plainTraits) {
    super(traits)
    this.max = max
    this.bitsMin = bitsFor(max)
    this.bitsMax = this.bitsMin + max * 8
  }

  write(out: BitWriter, value: Uint8Array): void {
    out.bits(value.length, this.bitsMin)
    out.bytes(value)
  }

  read(input: BitReader): Uint8Array {
    return input.bytes(readCount(input, this.max, 8))
  }

  accepts(value: unknown): value is Uint8Array {
    // By tag, because a Uint8Array of another frame or worker is no instance of ours.
    const isBytes = Object.prototype.toString.call(value) === '[object Uint8Array]'
    return isBytes && (value as Uint8Array).length <= this.max
  }

  equals(a: Uint8Array, b: Uint8Array): boolean {
    if (a.length !== b.length) return false
    for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
    return true
  }

  normalise(value: Uint8Array): Uint8Array {
    return value
  }

  override copy(value: Uint8Array): Uint8Array {
    // A Buffer's own slice would share its memory.
    return Uint8Array.prototype.slice.call(value)
  }

  toJson(value: Uint8Array): Json {
    let hex = ''
    for (const byte of value) hex += (byte + 0x100).toString(16).slice(1)
    return hex
  }

  fromJson(json: Json, path: string): Uint8Array {
    const isHex = typeof json === 'string' && /^(?:[0-9a-f]{2})*$/.test(json)
    if (!isHex || json.length / 2 > this.max) {
      return badValue(path, json, `at most ${this.max} bytes in lower-case hexadecimal digits`)
    }
    const value = new Uint8Array(json.length / 2)
    for (let index = 0; index < value.length; index++) {
      value[index] = Number.parseInt(json.slice(index * 2, index * 2 + 2), 16)
    }
    return value
  }

  protected refuse(value: unknown, path: string): never {
    badValue(path, value, `a Uint8Array of at most ${this.max} bytes`)
  }

  sample(prng: Prng, _refs: RefSource): Uint8Array {
    const length = sampleLength(this.max, prng)
    return Uint8Array.from({ length }, () => prng.below(256))
  }

  protected makeZero(): Uint8Array {
    return new Uint8Array(0)
  }

  protected describeLimits(): { readonly [key: string]: Json } {
    return { max: this.max }
  }

  protected withTraits(traits: Traits<Uint8Array>): this {
    return new BytesField(this.max, traits) as this
  }
}

/** A text of up to `max` bytes in UTF-8. */
export class TextField extends BaseField<string> {
  readonly kind = 'text'
  readonly column = undefined
  readonly bitsMin: number
  readonly bitsMax: number
  readonly max: number

  constructor(max: number, traits: Traits<string> = plainTraits) {
    super(traits)
    this.max = max
    this.bitsMin = bitsFor(max)
    this.bitsMax = this.bitsMin + max * 8
  }

  write(out: BitWriter, value: string): void {
    out.bits(utf8Length(value), this.bitsMin)
    writeUtf8(out, value)
  }

  read(input: BitReader): string {
    const length = readCount(input, this.max, 8)
    const { offset } = input
    try {
      return decodeUtf8(input.view(length))
    } catch (error) {
      // The decoder counts from the start of the text; a caller wants the place in the whole.
      if (!(error instanceof WireError)) throw error
      throw new WireError(error.code, offset + error.offset, error.message)
    }
  }

  accepts(value: unknown): value is string {
    if (typeof value !== 'string' || value.length > this.max) return false
    return isWellFormed(value) && utf8Length(value) <= this.max
  }

  equals(a: string, b: string): boolean {
    return a === b
  }

  normalise(value: string): string {
    return value
  }

  toJson(value: string): Json {
    return value
  }

  fromJson(json: Json, path: string): string {
    return this.accepts(json) ? json : this.refuse(json, path)
  }

  override get isKey(): boolean {
    return true
  }

  sample(prng: Prng, _refs: RefSource): string {
    const length = sampleLength(this.max, prng)
    return Array.from({ length }, () => String.fromCharCode(97 + prng.below(26))).join('')
  }

  protected makeZero(): string {
    return ''
  }

  protected describeLimits(): { readonly [key: string]: Json } {
    return { max: this.max }
  }

  protected withTraits(traits: Traits<string>): this {
    return new TextField(this.max, traits) as this
  }

  protected refuse(value: unknown, path: string): never {
    badValue(path, value, `a well-formed text of at most ${this.max} bytes in UTF-8`)
  }
}

/** A list of up to `max` values of one type. */
export function list<T>(item: Field<T>, max: number): ListField<T> {
  checkMax('a list', max)
  checkItem('a list', item)
  return new ListField(item, max)
}

/** Up to `max` raw bytes, as a `Uint8Array`. */
export function bytes(max: number): BytesField {
  checkMax('bytes', max)
  return new BytesField(max)
}

/** A text of up to `max` bytes in UTF-8. An English letter takes one byte, most others two or three. */
export function text(max: number): TextField {
  checkMax('a text', max)
  return new TextField(max)
}
