import { describe, expect, test } from 'vitest'
import { Prng } from '../../base/prng.ts'
import type { AnyField } from './index.ts'
import { bytes, i32, list, range, ref, struct, u8 } from './index.ts'
import { schemaCases } from './testing/vector-cases.ts'

const seven = () => 7

describe('random values', () => {
  test.each(schemaCases)('of $name fit their field', ({ field }) => {
    const prng = new Prng(1, 'values')
    for (let count = 0; count < 300; count++) {
      const value: unknown = field.sample(prng, seven)
      expect(field.accepts(value), String(value)).toBe(true)
    }
  })

  test('are the same for the same seed', () => {
    const nested = struct({ a: list(struct({ b: range(1, 2) }), 4) })
    const draw = () => nested.sample(new Prng(3, 'values'), seven)
    expect(draw()).toEqual(draw())
  })

  test('meet the edges of their range, and the longest length', () => {
    const prng = new Prng(2, 'values')
    const draw = (field: AnyField): unknown[] =>
      Array.from({ length: 300 }, () => field.sample(prng, seven))
    const numbers = draw(i32)
    expect(numbers).toContain(-2_147_483_648)
    expect(numbers).toContain(2_147_483_647)
    expect(numbers).toContain(0)
    const lengths = draw(bytes(700)).map((value) => (value as Uint8Array).length)
    expect(lengths).toContain(0)
    expect(lengths).toContain(700)
  })

  test('of a ref are mostly rows of its table', () => {
    const prng = new Prng(4, 'values')
    const asked: string[] = []
    const refs = (table: string) => asked.push(table)
    for (let count = 0; count < 100; count++) ref('units').sample(prng, refs)
    expect(new Set(asked)).toEqual(new Set(['units']))
    expect(asked.length).toBeGreaterThan(70)
  })

  test('leave retired fields out', () => {
    const record = struct({ now: u8, once: u8.until(2) })
    expect(Object.keys(record.sample(new Prng(1, 'values'), seven))).toEqual(['now'])
  })
})
