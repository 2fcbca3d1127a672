import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TokenBucket } from './token-bucket.ts'

test('gives a burst at once, then what the seconds bring', () => {
  const bucket = new TokenBucket(40, 20, 1_000)
  for (let count = 0; count < 40; count++) expect(bucket.take(1, 1_000)).toBe(true)
  expect(bucket.take(1, 1_000)).toBe(false)
  expect(bucket.waitMs(1, 1_000)).toBe(50)
  expect(bucket.take(1, 1_049)).toBe(false)
  expect(bucket.take(1, 1_050)).toBe(true)
  expect(bucket.tokens(2_050)).toBe(20)
  expect(bucket.tokens(60_000)).toBe(40)
})

test('loses no fraction, however often it is looked at', () => {
  const bucket = new TokenBucket(10, 3, 0)
  expect(bucket.take(10, 0)).toBe(true)
  for (let ms = 0.25; ms < 1_000; ms += 0.25) bucket.tokens(ms)
  expect(bucket.tokens(999)).toBe(2)
  expect(bucket.tokens(1_000)).toBe(3)
})

test('takes all that was asked for, or nothing', () => {
  const bucket = new TokenBucket(10, 1, 0)
  expect(bucket.take(11, 0)).toBe(false)
  expect(bucket.take(7, 0)).toBe(true)
  expect(bucket.take(4, 0)).toBe(false)
  expect(bucket.take(3, 0)).toBe(true)
  expect(bucket.waitMs(11, 0)).toBe(Number.POSITIVE_INFINITY)
})

test('a clock that was set back by an hour starves nobody', () => {
  const bucket = new TokenBucket(10, 10, 7_200_000)
  expect(bucket.take(10, 7_200_000)).toBe(true)
  expect(bucket.tokens(3_600_000)).toBe(0)
  expect(bucket.tokens(3_600_500)).toBe(5)
})

test('one that never refills says so', () => {
  const bucket = new TokenBucket(2, 0, 0)
  expect(bucket.take(2, 0)).toBe(true)
  expect(bucket.take(1, 1e12)).toBe(false)
  expect(bucket.waitMs(1, 1e12)).toBe(Number.POSITIVE_INFINITY)
})

const anyNumber = fc.oneof(
  fc.integer({ min: -1_000, max: 100_000 }),
  fc.double(),
  fc.constantFrom(Number.NaN, Infinity, -Infinity, -0, 2 ** 53, -(2 ** 53), 1e300, 0.5),
)

test('T-37 no counts and no times make a bucket negative, NaN or more than full', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.array(fc.tuple(anyNumber, anyNumber), { maxLength: 60 }),
      (cap, perSecond, steps) => {
        const bucket = new TokenBucket(cap, perSecond, 0)
        for (const [count, nowMs] of steps) {
          const before = bucket.tokens(nowMs)
          const isTaken = bucket.take(count, nowMs)
          const after = bucket.tokens(nowMs)
          expect(Number.isSafeInteger(after) && after >= 0 && after <= cap).toBe(true)
          // Nobody gets more than there is, and a refusal costs nothing.
          expect(before - after).toBe(isTaken ? count + 0 : 0)
          expect(bucket.waitMs(count, nowMs)).toBeGreaterThanOrEqual(0)
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('over any honest time it gives at most its burst and its rate, and at least its rate', () => {
  const step = fc.tuple(fc.nat(30), fc.nat(400))
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 100 }),
      fc.array(step, { minLength: 1, maxLength: 80 }),
      (cap, perSecond, steps) => {
        const bucket = new TokenBucket(cap, perSecond, 0)
        let nowMs = 0
        let given = 0
        let parts = cap * 1_000
        for (const [count, ms] of steps) {
          nowMs += ms
          parts = Math.min(parts + ms * perSecond, cap * 1_000)
          const isTaken = bucket.take(count, nowMs)
          expect(isTaken).toBe(parts >= count * 1_000)
          if (isTaken) {
            given += count
            parts -= count * 1_000
          }
          expect(given).toBeLessThanOrEqual(cap + (nowMs * perSecond) / 1_000)
        }
      },
    ),
    { numRuns: 300 },
  )
})
