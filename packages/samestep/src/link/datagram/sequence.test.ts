import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expand16, firstOf, low16 } from './sequence.ts'

test('a number expands to itself from anywhere within half the range, over many wraps', () => {
  const number = fc.integer({ min: 2 ** 16, max: 2 ** 48 })
  fc.assert(
    fc.property(number, fc.integer({ min: -32_767, max: 32_768 }), (near, distance) => {
      // The far end belongs to the numbers behind: 32 768 ahead and 32 768 behind look the same.
      const at = distance === 32_768 ? near - 32_768 : near + distance
      expect(expand16(low16(at), near)).toBe(at)
    }),
  )
})

test('a count begins above the first wrap, so that nothing before it is negative', () => {
  expect(firstOf(0)).toBe(65_536)
  expect(firstOf(65_535)).toBe(131_071)
  expect(expand16(low16(firstOf(0) - 20_000), firstOf(0))).toBe(firstOf(0) - 20_000)
})
