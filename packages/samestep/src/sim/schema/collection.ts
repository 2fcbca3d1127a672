/**
 * JavaScript's own Map and Set, for plain state. They remember the sequence of insertion, and a game
 * that loops over them acts in that sequence: it is state, so it is written and restored exactly.
 */
import type { BitReader } from '../../base/bit-reader.ts'
import type { BitWriter } from '../../base/bit-writer.ts'
import type { Prng } from '../../base/prng.ts'
import type { Traits } from './base-field.ts'
import {
  BaseField,
  badField,
  badValue,
  bitsFor,
  checkMax,
  plainTraits,
  show,
} from './base-field.ts'
import type { AnyField, Field, Json } from './field.ts'
import { type RefSource, sampleLength } from './sampling.ts'
import { checkItem, readCount } from './sequence.ts'

/** A Map of up to `max` entries. */
export class MapField<K, V> extends BaseField<Map<K, V>> {
  readonly kind = 'map'
  readonly column = undefined
  readonly bitsMin: number
  readonly bitsMax: number
  readonly key: Field<K>
  readonly value: Field<V>
  readonly max: number

  constructor(
    key: Field<K>,
    value: Field<V>,
    max: number,
    traits: Traits<Map<K, V>> = plainTraits,
  ) {
    super(traits)
    this.key = key
    this.value = value
    this.max = max
    this.bitsMin = bitsFor(max)
    this.bitsMax = this.bitsMin + max * (key.bitsMax + value.bitsMax)
  }

  write(out: BitWriter, value: Map<K, V>): void {
    out.bits(value.size, this.bitsMin)
    // Not by entries, each of which would be an array: this runs in every tick.
    for (const key of value.keys()) {
      this.key.write(out, key)
      this.value.write(out, value.get(key) as V)
    }
  }

  read(input: BitReader): Map<K, V> {
    const count = readCount(input, this.max, this.key.bitsMin + this.value.bitsMin)
    const value = new Map<K, V>()
    for (let index = 0; index < count; index++) {
      const key = this.key.read(input)
      if (value.has(key)) refuseDouble(input)
      value.set(key, this.value.read(input))
    }
    return value
  }

  accepts(value: unknown): value is Map<K, V> {
    if (!isTagged<Map<unknown, unknown>>(value, 'Map') || value.size > this.max) return false
    for (const [key, inner] of value) {
      if (!this.key.accepts(key) || !this.value.accepts(inner)) return false
    }
    return true
  }

  equals(a: Map<K, V>, b: Map<K, V>): boolean {
    if (a.size !== b.size) return false
    const others = b.entries()
    for (const [key, inner] of a) {
      const other = others.next().value
      if (other === undefined || !this.key.equals(key, other[0])) return false
      if (!this.value.equals(inner, other[1])) return false
    }
    return true
  }

  normalise(value: Map<K, V>): Map<K, V> {
    for (const key of value.keys()) {
      const before = value.get(key) as V
      const after = this.value.normalise(before)
      // Setting a key that is there keeps its place.
      if (!Object.is(before, after)) value.set(key, after)
    }
    return value
  }

  override copy(value: Map<K, V>): Map<K, V> {
    const copy = new Map<K, V>()
    for (const [key, inner] of value) copy.set(key, this.value.copy(inner))
    return copy
  }

  toJson(value: Map<K, V>): Json {
    return [...value].map(([key, inner]) => [this.key.toJson(key), this.value.toJson(inner)])
  }

  fromJson(json: Json, path: string): Map<K, V> {
    if (!Array.isArray(json) || json.length > this.max) {
      return badValue(path, json, `an array of at most ${this.max} pairs`)
    }
    const value = new Map<K, V>()
    json.forEach((pair: Json, index) => {
      const at = `${path}[${index}]`
      if (!Array.isArray(pair) || pair.length !== 2) badValue(at, pair, 'a pair of key and value')
      const key = this.key.fromJson(pair[0], `${at}[0]`)
      if (value.has(key)) badValue(`${at}[0]`, key, 'a key that did not come before')
      value.set(key, this.value.fromJson(pair[1], `${at}[1]`))
    })
    return value
  }

  override atVersion(version: number): Field<Map<K, V>> {
    const value = this.value.atVersion(version)
    return value === this.value ? this : new MapField(this.key, value, this.max, this.traits)
  }

  protected refuse(value: unknown, path: string): never {
    if (isTagged<Map<unknown, unknown>>(value, 'Map') && value.size <= this.max) {
      for (const [key, inner] of value) {
        this.key.check(key, `a key of ${path}`)
        this.value.check(inner, `${path}[${show(key)}]`)
      }
    }
    badValue(path, value, `a Map of at most ${this.max} entries`)
  }

  override get refTables(): readonly string[] {
    return [...this.key.refTables, ...this.value.refTables]
  }

  sample(prng: Prng, refs: RefSource): Map<K, V> {
    const length = sampleLength(this.max, prng)
    const values = Array.from({ length }, () => this.value.sample(prng, refs))
    return new Map(values.map((value) => [this.key.sample(prng, refs), value]))
  }

  protected makeZero(): Map<K, V> {
    return new Map()
  }

  protected describeLimits(): { readonly [key: string]: Json } {
    return { max: this.max, key: this.key.describe(), value: this.value.describe() }
  }

  protected withTraits(traits: Traits<Map<K, V>>): this {
    return new MapField(this.key, this.value, this.max, traits) as this
  }
}

/** A Set of up to `max` items. */
export class SetField<T> extends BaseField<Set<T>> {
  readonly kind = 'set'
  readonly column = undefined
  readonly bitsMin: number
  readonly bitsMax: number
  readonly item: Field<T>
  readonly max: number

  constructor(item: Field<T>, max: number, traits: Traits<Set<T>> = plainTraits) {
    super(traits)
    this.item = item
    this.max = max
    this.bitsMin = bitsFor(max)
    this.bitsMax = this.bitsMin + max * item.bitsMax
  }

  write(out: BitWriter, value: Set<T>): void {
    out.bits(value.size, this.bitsMin)
    for (const item of value) this.item.write(out, item)
  }

  read(input: BitReader): Set<T> {
    const count = readCount(input, this.max, this.item.bitsMin)
    const value = new Set<T>()
    for (let index = 0; index < count; index++) {
      const item = this.item.read(input)
      if (value.has(item)) refuseDouble(input)
      value.add(item)
    }
    return value
  }

  accepts(value: unknown): value is Set<T> {
    if (!isTagged<Set<unknown>>(value, 'Set') || value.size > this.max) return false
    for (const item of value) if (!this.item.accepts(item)) return false
    return true
  }

  equals(a: Set<T>, b: Set<T>): boolean {
    if (a.size !== b.size) return false
    const others = b.values()
    for (const item of a) {
      const other = others.next()
      if (other.done === true || !this.item.equals(item, other.value)) return false
    }
    return true
  }

  normalise(value: Set<T>): Set<T> {
    return value
  }

  override copy(value: Set<T>): Set<T> {
    return new Set(value)
  }

  toJson(value: Set<T>): Json {
    return [...value].map((item) => this.item.toJson(item))
  }

  fromJson(json: Json, path: string): Set<T> {
    if (!Array.isArray(json) || json.length > this.max) {
      return badValue(path, json, `an array of at most ${this.max} items`)
    }
    const value = new Set<T>()
    json.forEach((inner: Json, index) => {
      const item = this.item.fromJson(inner, `${path}[${index}]`)
      if (value.has(item)) badValue(`${path}[${index}]`, item, 'an item that did not come before')
      value.add(item)
    })
    return value
  }

  protected refuse(value: unknown, path: string): never {
    if (isTagged<Set<unknown>>(value, 'Set') && value.size <= this.max) {
      for (const item of value) this.item.check(item, `an item of ${path}`)
    }
    badValue(path, value, `a Set of at most ${this.max} items`)
  }

  override get refTables(): readonly string[] {
    return this.item.refTables
  }

  sample(prng: Prng, refs: RefSource): Set<T> {
    const length = sampleLength(this.max, prng)
    return new Set(Array.from({ length }, () => this.item.sample(prng, refs)))
  }

  protected makeZero(): Set<T> {
    return new Set()
  }

  protected describeLimits(): { readonly [key: string]: Json } {
    return { max: this.max, item: this.item.describe() }
  }

  protected withTraits(traits: Traits<Set<T>>): this {
    return new SetField(this.item, this.max, traits) as this
  }
}

/** A Map from one type to another with up to `max` entries. Keys are scalars or texts. */
export function map<K, V>(key: Field<K>, value: Field<V>, max: number): MapField<K, V> {
  checkMax('a map', max)
  checkItem('a map', key)
  checkKey('a map', key)
  return new MapField(key, value, max)
}

/** A Set with up to `max` items, which are scalars or texts. */
export function set<T>(item: Field<T>, max: number): SetField<T> {
  checkMax('a set', max)
  checkItem('a set', item)
  checkKey('a set', item)
  return new SetField(item, max)
}

function checkKey(what: string, key: AnyField): void {
  if (key.isKey) return
  badField(`${what} with ${key.kind} for a key`, 'needs whole numbers, words, texts, fixed or f64')
}

function isTagged<T>(value: unknown, tag: 'Map' | 'Set'): value is T {
  return Object.prototype.toString.call(value) === `[object ${tag}]`
}

function refuseDouble(input: BitReader): never {
  throw input.fault('SS_WIRE_NOT_CANONICAL', 'Cannot read a key that came before')
}
