import { describe, expect, test } from 'vitest'
import { Prng } from '../base/prng.ts'
import type { AnyField } from '../sim/schema/field.ts'
import {
  bool,
  bytes,
  f32,
  f64,
  i8,
  i32,
  list,
  map,
  oneOf,
  optional,
  range,
  ref,
  set,
  struct,
  text,
  u8,
  u32,
} from '../sim/schema/index.ts'
import { randomValue } from './values.ts'

const fields: { readonly [name: string]: AnyField } = {
  bool,
  u8,
  u32,
  i8,
  i32,
  f32,
  f64,
  range: range(-3, 4),
  choice: oneOf(['red', 'green']),
  ref: ref('units'),
  maybe: optional(u8),
  bytes: bytes(700),
  text: text(30),
  list: list(i8, 300),
  set: set(u8, 9),
  map: map(u8, bool, 9),
  nested: struct({ a: list(struct({ b: range(1, 2) }), 4) }),
}

describe('random values', () => {
  test.each(Object.entries(fields))('of kind %s fit their field', (_, given) => {
    const field: AnyField = given
    const prng = new Prng(1, 'values')
    for (let count = 0; count < 300; count++) {
      field.check(
        randomValue(field.describe(), prng, () => 7),
        'value',
      )
    }
  })

  test('are the same for the same seed', () => {
    const draw = () => randomValue(fields.nested!.describe(), new Prng(3, 'values'), () => 7)
    expect(draw()).toEqual(draw())
  })

  test('meet the edges of their range, and the longest length', () => {
    const prng = new Prng(2, 'values')
    const draw = (field: AnyField) =>
      Array.from({ length: 300 }, () => randomValue(field.describe(), prng, () => 7))
    const numbers = draw(i32)
    expect(numbers).toContain(-2_147_483_648)
    expect(numbers).toContain(2_147_483_647)
    expect(numbers).toContain(0)
    const lengths = draw(bytes(700)).map((value) => (value as Uint8Array).length)
    expect(lengths).toContain(0)
    expect(lengths).toContain(700)
  })

  test('of a kind that nobody knows are refused', () => {
    const draw = () => randomValue({ kind: 'rune', max: 1 }, new Prng(1, 'values'), () => 7)
    expect(draw).toThrow("kind 'rune'")
  })
})
