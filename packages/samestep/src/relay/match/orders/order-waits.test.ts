import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OrderWaits } from './order-waits.ts'

test('nothing is known before there was an order', () => {
  expect(new OrderWaits().percentile(0.5)).toBe(0)
})

test('a percentile is what that share of the waits did not exceed, by nearest rank', () => {
  const waits = new OrderWaits()
  for (const ms of [50, 10, 40, 20, 30]) waits.add(ms)
  expect([0, 0.2, 0.21, 0.5, 0.95, 1].map((share) => waits.percentile(share))).toEqual([
    10, 10, 20, 30, 50, 50,
  ])
})

test('only the last 64 count, so that old trouble is forgotten', () => {
  const waits = new OrderWaits()
  for (let count = 0; count < 100; count++) waits.add(9_000)
  for (let count = 0; count < 63; count++) waits.add(5)
  expect([waits.percentile(0.5), waits.percentile(1)]).toEqual([5, 9_000])
  waits.add(5)
  expect(waits.percentile(1)).toBe(5)
})

test('a wait is never negative, and never more than its message can tell', () => {
  const waits = new OrderWaits()
  waits.add(-5)
  expect(waits.percentile(1)).toBe(0)
  waits.add(1e9)
  expect(waits.percentile(1)).toBe(65_535)
})

test('it agrees with sorting all of the last 64', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(5_000), { minLength: 1, maxLength: 200 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (all, share) => {
        const waits = new OrderWaits()
        for (const ms of all) waits.add(ms)
        const sorted = all.slice(-64).toSorted((a, b) => a - b)
        const rank = Math.max(Math.ceil(share * sorted.length), 1)
        expect(waits.percentile(share)).toBe(sorted[rank - 1])
      },
    ),
  )
})
