import { expect, test } from 'vitest'
import { Prng } from '../../packages/samestep/src/base/prng.ts'
import { inputBytesMax, Mutator } from './mutator.ts'

function mutateMany(count: number, parent: Uint8Array, other: Uint8Array): string[] {
  const mutator = new Mutator(new Prng(1, 'mutator'))
  return Array.from({ length: count }, () =>
    Buffer.from(mutator.mutate(parent, other)).toString('hex'),
  )
}

test('leaves its parents as they are', () => {
  const [parent, other] = [Uint8Array.of(1, 2, 3, 4), Uint8Array.of(9, 9)]
  mutateMany(2_000, parent, other)
  expect([...parent, ...other]).toEqual([1, 2, 3, 4, 9, 9])
})

test('makes shorter, longer and equally long inputs, and never too long ones', () => {
  const parent = new Uint8Array(inputBytesMax - 2).fill(7)
  const lengths = new Set(mutateMany(3_000, parent, parent).map((hex) => hex.length / 2))
  expect(Math.max(...lengths)).toBe(inputBytesMax)
  expect(lengths).toContain(parent.length)
  expect(Math.min(...lengths)).toBeLessThan(parent.length / 2)
})

test('makes something of nothing', () => {
  const made = new Set(mutateMany(200, new Uint8Array(0), new Uint8Array(0)))
  expect(made.size).toBeGreaterThan(100)
})

test('shifts what lies behind a bit that is put in or taken out', () => {
  // All ones, with one bit put in that is zero: only then are there 31 ones in a row around a zero.
  const made = mutateMany(20_000, Uint8Array.of(0, 0, 0, 0x80), new Uint8Array(0))
  expect(made).toContain('00000040')
})

test('goes on with the rest of the other input', () => {
  const made = mutateMany(5_000, Uint8Array.of(1, 1, 1, 1), Uint8Array.of(2, 3, 4))
  expect(made).toContain('01020304')
})
