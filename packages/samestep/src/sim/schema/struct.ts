/** Records with named fields, and values that may be missing. */
import type { BitReader } from '../../base/bit-reader.ts'
import type { BitWriter } from '../../base/bit-writer.ts'
import type { Prng } from '../../base/prng.ts'
import type { Traits } from './base-field.ts'
import {
  BaseField,
  badField,
  badValue,
  checkField,
  checkName,
  plainTraits,
  show,
} from './base-field.ts'
import type { AnyField, Field, Fields, Json, RecordOf } from './field.ts'
import type { RefSource } from './sampling.ts'

/** A record as the loops see it: any names, any values. */
export type Loose = { [name: string]: unknown }

/** One living field of a record. */
export interface Member {
  readonly name: string
  readonly type: AnyField
}

/** A record: its fields in the sequence of their declaration. */
export class StructField<T extends object> extends BaseField<T> {
  readonly kind = 'struct'
  readonly column = undefined
  readonly bitsMin: number
  readonly bitsMax: number
  /** The living fields by name: retired ones have no bits and no value. */
  readonly fields: Fields
  /** All fields that were declared, retired ones included. */
  readonly declared: Fields
  /** The names of the living fields, in sequence. */
  readonly names: readonly string[]
  /** The living fields again, as the loops want them. */
  readonly members: readonly Member[]
  private readonly known: ReadonlySet<string>

  constructor(declared: Fields, traits: Traits<T> = plainTraits) {
    super(traits)
    const living = Object.entries(declared).filter(([, field]) => isLiving(field))
    this.declared = declared
    this.fields = Object.fromEntries(living)
    this.names = living.map(([name]) => name)
    this.members = living.map(([name, type]) => ({ name, type }))
    this.known = new Set(Object.keys(this.fields))
    this.bitsMin = living.reduce((sum, [, type]) => sum + type.bitsMin, 0)
    this.bitsMax = living.reduce((sum, [, type]) => sum + type.bitsMax, 0)
  }

  write(out: BitWriter, value: T): void {
    for (const { name, type } of this.members) type.write(out, (value as Loose)[name])
  }

  read(input: BitReader): T {
    const value: Loose = {}
    for (const { name, type } of this.members) value[name] = type.read(input)
    return value as T
  }

  accepts(value: unknown): value is T {
    if (!isRecord(value)) return false
    for (const { name, type } of this.members) if (!type.accepts(value[name])) return false
    // A misspelt name would be lost in silence, so that unknown names are refused.
    for (const name in value) if (!this.known.has(name)) return false
    return true
  }

  equals(a: T, b: T): boolean {
    for (const { name, type } of this.members) {
      if (!type.equals((a as Loose)[name], (b as Loose)[name])) return false
    }
    return true
  }

  normalise(value: T): T {
    for (const { name, type } of this.members) {
      const before = (value as Loose)[name]
      const after = type.normalise(before)
      // Untouched where nothing changes, so that a frozen record stays usable.
      if (!Object.is(before, after)) (value as Loose)[name] = after
    }
    return value
  }

  override copy(value: T): T {
    const copy: Loose = {}
    for (const { name, type } of this.members) copy[name] = type.copy((value as Loose)[name])
    return copy as T
  }

  toJson(value: T): Json {
    const json: { [name: string]: Json } = {}
    for (const { name, type } of this.members) json[name] = type.toJson((value as Loose)[name])
    return json
  }

  fromJson(json: Json, path: string): T {
    if (!isRecord(json)) return this.refuse(json, path)
    const given = new Map(Object.entries(json as { readonly [name: string]: Json }))
    const value: Loose = {}
    for (const { name, type } of this.members) {
      // A name that is left out is the same as null: only an optional field takes it.
      value[name] = type.fromJson(given.get(name) ?? null, `${path}.${name}`)
    }
    this.refuseStrangers(json, path)
    return value as T
  }

  override atVersion(version: number): Field<T> {
    const members = Object.entries(this.declared).map(([name, field]) => {
      const { since, until } = field.history
      const type = field.atVersion(version)
      return { name, type, wasThere: since <= version && version < until, lives: isLiving(field) }
    })
    const isSame = members.every(
      ({ name, type, wasThere, lives }) => wasThere === lives && type === this.declared[name],
    )
    return isSame ? this : new OldStructField<T>(this.declared, this.traits, members)
  }

  override get refTables(): readonly string[] {
    return Object.values(this.declared).flatMap((field) => field.refTables)
  }

  sample(prng: Prng, refs: RefSource): T {
    const value: Loose = {}
    for (const { name, type } of this.members) value[name] = type.sample(prng, refs)
    return value as T
  }

  protected makeZero(): T {
    const value: Loose = {}
    for (const { name, type } of this.members) value[name] = type.makeDefault()
    return value as T
  }

  protected describeLimits(): { readonly [key: string]: Json } {
    // Pairs instead of an object: the sequence of the fields is part of the format.
    return {
      fields: Object.entries(this.declared).map(([name, field]) => [name, field.describe()]),
    }
  }

  protected withTraits(traits: Traits<T>): this {
    return new StructField<T>(this.declared, traits) as this
  }

  protected refuse(value: unknown, path: string): never {
    if (isRecord(value)) {
      for (const member of this.members) {
        const type: AnyField = member.type
        type.check(value[member.name], `${path}.${member.name}`)
      }
      this.refuseStrangers(value, path)
    }
    badValue(path, value, `an object with ${this.nameList()}`)
  }

  private refuseStrangers(value: { readonly [name: string]: unknown }, path: string): void {
    for (const name in value) {
      if (this.known.has(name)) continue
      badValue(`${path}.${name}`, value[name], `left out: the fields are ${this.nameList()}`)
    }
  }

  private nameList(): string {
    return this.known.size === 0 ? 'no fields' : [...this.known].join(', ')
  }
}

/** One field of an old version: whether it had bits then, and whether it has a value now. */
type OldMember = {
  readonly name: string
  readonly type: AnyField
  readonly wasThere: boolean
  readonly lives: boolean
}

/** A record in the bits of an old version, and in the shape of today. */
class OldStructField<T extends object> extends StructField<T> {
  override readonly bitsMin: number
  override readonly bitsMax: number
  private readonly olds: readonly OldMember[]

  constructor(declared: Fields, traits: Traits<T>, olds: readonly OldMember[]) {
    super(declared, traits)
    const types = olds.filter(({ wasThere }) => wasThere).map(({ type }) => type)
    this.olds = olds
    this.bitsMin = types.reduce((sum, type) => sum + type.bitsMin, 0)
    this.bitsMax = types.reduce((sum, type) => sum + type.bitsMax, 0)
  }

  override write(out: BitWriter, value: T): void {
    for (const { name, type, wasThere, lives } of this.olds) {
      if (wasThere) type.write(out, lives ? (value as Loose)[name] : type.makeDefault())
    }
  }

  override read(input: BitReader): T {
    const value: Loose = {}
    for (const { name, type, wasThere, lives } of this.olds) {
      const inner = wasThere ? type.read(input) : type.makeDefault()
      if (lives) value[name] = inner
    }
    return value as T
  }

  protected override withTraits(traits: Traits<T>): this {
    return new OldStructField<T>(this.declared, traits, this.olds) as this
  }
}

/** A value that may be missing: one bit, then the value if there is one. */
export class OptionalField<T> extends BaseField<T | undefined> {
  readonly kind = 'optional'
  readonly column = undefined
  readonly bitsMin = 1
  readonly bitsMax: number
  readonly item: Field<T>

  constructor(item: Field<T>, traits: Traits<T | undefined> = plainTraits) {
    super(traits)
    this.item = item
    this.bitsMax = 1 + item.bitsMax
  }

  write(out: BitWriter, value: T | undefined): void {
    out.bits(value === undefined ? 0 : 1, 1)
    if (value !== undefined) this.item.write(out, value)
  }

  read(input: BitReader): T | undefined {
    return input.bits(1) === 1 ? this.item.read(input) : undefined
  }

  accepts(value: unknown): value is T | undefined {
    return value === undefined || this.item.accepts(value)
  }

  equals(a: T | undefined, b: T | undefined): boolean {
    if (a === undefined || b === undefined) return a === b
    return this.item.equals(a, b)
  }

  normalise(value: T | undefined): T | undefined {
    return value === undefined ? undefined : this.item.normalise(value)
  }

  override copy(value: T | undefined): T | undefined {
    return value === undefined ? undefined : this.item.copy(value)
  }

  toJson(value: T | undefined): Json {
    return value === undefined ? null : this.item.toJson(value)
  }

  fromJson(json: Json, path: string): T | undefined {
    return json === null ? undefined : this.item.fromJson(json, path)
  }

  override atVersion(version: number): Field<T | undefined> {
    const item = this.item.atVersion(version)
    return item === this.item ? this : new OptionalField(item, this.traits)
  }

  protected refuse(value: unknown, path: string): never {
    this.item.check(value, path)
    badValue(path, value, 'a value that fits or undefined')
  }

  override get refTables(): readonly string[] {
    return this.item.refTables
  }

  sample(prng: Prng, refs: RefSource): T | undefined {
    return prng.chance(0.5) ? undefined : this.item.sample(prng, refs)
  }

  protected makeZero(): T | undefined {
    return undefined
  }

  protected describeLimits(): { readonly [key: string]: Json } {
    return { item: this.item.describe() }
  }

  protected withTraits(traits: Traits<T | undefined>): this {
    return new OptionalField(this.item, traits) as this
  }
}

/** A record with these fields: `struct({ x: fixed, y: fixed })`. */
export function struct<const S extends Fields>(fields: S): StructField<RecordOf<S>> {
  if (!isRecord(fields)) badField(`struct(${show(fields)})`, 'needs an object of fields')
  for (const [name, field] of Object.entries(fields)) {
    checkName(name)
    checkField(`a field ${name}`, field)
  }
  // A copy, so that a later change of the given object changes no format.
  return new StructField<RecordOf<S>>({ ...fields })
}

/** A value that may be `undefined`. */
export function optional<T>(item: Field<T>): OptionalField<T> {
  checkField('optional', item)
  if (item.kind === 'optional') badField('optional(optional(…))', 'needs to be optional once only')
  return new OptionalField(item)
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isLiving(field: AnyField): boolean {
  return field.history.until === Number.POSITIVE_INFINITY
}
