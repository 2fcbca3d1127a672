/** Fields of every kind with arbitrary values for them, and arbitrary nested fields. */
import fc from 'fast-check'
import { encodeUtf8 } from '../../../base/utf8.ts'
import type { AnyField, Fields } from '../field.ts'
import {
  bool,
  bytes,
  f32,
  f64,
  fixedField,
  i8,
  i16,
  i32,
  list,
  map,
  oneOf,
  optional,
  range,
  ref,
  seat,
  set,
  struct,
  text,
  u8,
  u16,
  u32,
} from '../index.ts'

/** A field and values that it accepts. Values need not be normalised. */
export interface FieldCase {
  readonly name: string
  readonly field: AnyField
  readonly values: fc.Arbitrary<unknown>
}

const whole = (min: number, max: number): fc.Arbitrary<number> =>
  fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max))

const floats = fc.oneof(
  fc.double(),
  fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY, -1e-320, -1e-50, 0.1, 1e300),
)

const words = ['idle', 'walk', 'attack', 'dead', 'é'] as const
const manyWords = Array.from({ length: 300 }, (_, index) => `word${index}`)

const texts = (max: number): fc.Arbitrary<string> =>
  fc.string({ unit: 'binary', maxLength: max }).filter((value) => encodeUtf8(value).length <= max)

/** Ordinary objects only: a copy of one without a prototype has one, and is as good. */
function plainRecord<T>(values: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(values, { noNullPrototype: true })
}

/** Every kind that is one number, with its limits at both ends. */
export const scalarCases: readonly FieldCase[] = [
  { name: 'bool', field: bool, values: fc.boolean() },
  { name: 'u8', field: u8, values: whole(0, 255) },
  { name: 'u16', field: u16, values: whole(0, 65_535) },
  { name: 'u32', field: u32, values: fc.nat(0xffff_ffff) },
  { name: 'i8', field: i8, values: whole(-128, 127) },
  { name: 'i16', field: i16, values: whole(-32_768, 32_767) },
  { name: 'i32', field: i32, values: whole(-0x8000_0000, 0x7fff_ffff) },
  { name: 'range(0, 100)', field: range(0, 100), values: whole(0, 100) },
  { name: 'range(-3, 3)', field: range(-3, 3), values: whole(-3, 3) },
  { name: 'range(1000, 1001)', field: range(1000, 1001), values: whole(1000, 1001) },
  { name: 'range(7, 7)', field: range(7, 7), values: fc.constant(7) },
  {
    name: 'range of 32 bits',
    field: range(-0x8000_0000, 0x7fff_fffe),
    values: whole(-0x8000_0000, 0x7fff_fffe),
  },
  { name: 'fixed', field: fixedField, values: whole(-0x8000_0000, 0x7fff_ffff) },
  { name: 'f32', field: f32, values: floats },
  { name: 'f64', field: f64, values: floats },
  { name: 'seat', field: seat, values: whole(0, 63) },
  { name: 'ref', field: ref('units'), values: fc.nat(0xffff_ffff) },
  { name: 'oneOf 5', field: oneOf(words), values: fc.constantFrom(...words) },
  { name: 'oneOf 300', field: oneOf(manyWords), values: fc.constantFrom(...manyWords) },
]

/** Every kind that is not one number. */
export const compositeCases: readonly FieldCase[] = [
  { name: 'text', field: text(20), values: texts(20) },
  { name: 'bytes', field: bytes(20), values: fc.uint8Array({ maxLength: 20 }) },
  { name: 'list', field: list(i16, 9), values: fc.array(whole(-99, 99), { maxLength: 9 }) },
  {
    name: 'list of f32',
    field: list(f32, 9),
    values: fc.array(floats, { maxLength: 9 }),
  },
  { name: 'optional', field: optional(u8), values: fc.option(fc.nat(255), { nil: undefined }) },
  {
    name: 'map',
    field: map(text(6), f64, 5),
    values: fc
      .uniqueArray(fc.tuple(texts(6), floats), { selector: ([key]) => key, maxLength: 5 })
      .map((entries) => new Map(entries)),
  },
  {
    name: 'map of f64 keys',
    field: map(f64, bool, 5),
    values: fc
      .array(fc.tuple(floats, fc.boolean()), { maxLength: 5 })
      .map((entries) => new Map(entries)),
  },
  {
    name: 'set',
    field: set(range(-9, 9), 7),
    values: fc.array(whole(-9, 9), { maxLength: 7 }).map((items) => new Set(items)),
  },
  { name: 'empty struct', field: struct({}), values: fc.constant({}) },
  {
    name: 'struct',
    field: struct({ x: fixedField, tag: optional(u8), act: oneOf(words), hot: bool }),
    values: plainRecord({
      x: whole(-0x8000_0000, 0x7fff_ffff),
      tag: fc.option(fc.nat(255), { nil: undefined }),
      act: fc.constantFrom(...words),
      hot: fc.boolean(),
    }),
  },
]

/** All of them. */
export const fieldCases: readonly FieldCase[] = [...scalarCases, ...compositeCases]

const keyCases = fieldCases.filter(({ field }) => field.bitsMin > 0 && field.isKey)

function mapCase(key: FieldCase, value: FieldCase): FieldCase {
  return {
    name: `map(${key.name}, ${value.name})`,
    field: map(key.field, value.field, 4),
    values: fc
      .array(fc.tuple(key.values, value.values), { maxLength: 4 })
      .map((entries) => new Map(entries)),
  }
}

function structCase(members: readonly FieldCase[]): FieldCase {
  const fields: { [name: string]: AnyField } = {}
  const values: { [name: string]: fc.Arbitrary<unknown> } = {}
  members.forEach(({ field, values: inner }, index) => {
    fields[`f${index}`] = field
    values[`f${index}`] = inner
  })
  return {
    name: `struct(${members.map(({ name }) => name).join(', ')})`,
    field: struct(fields as Fields),
    values: plainRecord(values),
  }
}

function listCase(item: FieldCase): FieldCase {
  return {
    name: `list(${item.name})`,
    field: list(item.field, 4),
    values: fc.array(item.values, { maxLength: 4 }),
  }
}

function optionalCase(item: FieldCase): FieldCase {
  return {
    name: `optional(${item.name})`,
    field: optional(item.field),
    values: fc.option(item.values, { nil: undefined }),
  }
}

function nested(depth: number): fc.Arbitrary<FieldCase> {
  const simple = fc.constantFrom(...fieldCases)
  if (depth === 0) return simple
  const inner = nested(depth - 1)
  return fc.oneof(
    simple,
    fc.array(inner, { maxLength: 5 }).map(structCase),
    inner.filter(({ field }) => field.bitsMin > 0).map(listCase),
    inner.filter(({ field }) => field.kind !== 'optional').map(optionalCase),
    fc.tuple(fc.constantFrom(...keyCases), inner).map(([key, value]) => mapCase(key, value)),
  )
}

/** Arbitrary fields, nested three deep: what no list of cases thinks of. */
export const nestedCases: fc.Arbitrary<FieldCase> = nested(3)

/** An arbitrary field with one value for it. */
export const nestedValues: fc.Arbitrary<{ readonly field: AnyField; readonly value: unknown }> =
  nestedCases.chain(({ field, values }) => values.map((value) => ({ field, value })))
