/**
 * Golden bytes: what a record looked like when the format was fixed. Other implementations can be
 * checked against the same file; a change here is a change of the format, and breaks replays.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BitReader } from '../../base/bit-reader.ts'
import { BitWriter } from '../../base/bit-writer.ts'
import type { AnyField, Json } from './index.ts'
import {
  bool,
  bytes,
  decodeRecord,
  encodeRecord,
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
  readDelta,
  ref,
  seat,
  set,
  struct,
  text,
  u8,
  u16,
  u32,
  writeDelta,
} from './index.ts'

type Vector = { name: string; type: Json; value: Json; hex: string }
type DeltaVector = { name: string; type: Json; previous: Json; value: Json; hex: string }

const file = new URL('../../../test/vectors/schema.json', import.meta.url)
const { records, deltas } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly records: readonly Vector[]
  readonly deltas: readonly DeltaVector[]
}

const stance = oneOf(['idle', 'walk', 'attack', 'dead', 'fled'])
const move = struct({ units: list(ref('units'), 200), x: fixedField, y: fixedField, queue: bool })
const board = struct({
  turn: seat,
  names: map(seat, text(24), 8),
  seen: set(range(-10, 10), 21),
  last: optional(struct({ from: u8, to: u8 })),
  log: list(bytes(4), 3),
  best: list(f64, 4),
})
const pad = struct({
  up: bool,
  down: bool,
  fire: bool.oneShot(),
  aim: i16,
  weapon: range(0, 9).default(1).oneShot(),
})

/** The types by the names that the file uses; the file holds their descriptions as well. */
const types: { readonly [name: string]: AnyField } = {
  bool,
  u8,
  u16,
  u32,
  i8,
  i16,
  i32,
  f32,
  f64,
  seat,
  fixed: fixedField,
  ref: ref('units'),
  range: range(-3, 100),
  oneOf: stance,
  text: text(24),
  bytes: bytes(24),
  list: list(i16, 9),
  optional: optional(u16),
  map: map(text(5), u8, 3),
  set: set(u8, 5),
  move,
  board,
}

const hexOf = (it: Uint8Array): string => Buffer.from(it).toString('hex')
const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

test.each(records)('$name $value is $hex', ({ name, type, value, hex }) => {
  const field = types[name]!
  expect(field.describe()).toStrictEqual(type)
  expect(hexOf(encodeRecord(field, field.fromJson(value, name)))).toBe(hex)
  expect(field.toJson(decodeRecord(field, bytesOf(hex)))).toStrictEqual(value)
})

test('every type has golden bytes', () => {
  expect([...new Set(records.map(({ name }) => name))].sort()).toEqual(Object.keys(types).sort())
})

test.each(deltas)('$name is $hex', ({ type, previous, value, hex }) => {
  expect(pad.describe()).toStrictEqual(type)
  const before = pad.fromJson(previous, 'previous')
  const out = new BitWriter()
  writeDelta(out, pad, pad.fromJson(value, 'value'), before)
  expect(hexOf(out.finish())).toBe(hex)
  const input = new BitReader(bytesOf(hex))
  expect(pad.toJson(readDelta(input, pad, before))).toStrictEqual(value)
  input.end()
})
