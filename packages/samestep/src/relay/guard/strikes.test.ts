import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StrikeReason } from './strikes.ts'
import { Strikes, strikesMax, strikeWindowMs } from './strikes.ts'

test('five strikes within a minute end the session, four do not', () => {
  const strikes = new Strikes()
  const verdicts = [0, 10_000, 20_000, 30_000].map((ms) => strikes.add('wrong-token', ms))
  expect(verdicts).toEqual([false, false, false, false])
  expect(strikes.add('wrong-order', 59_999)).toBe(true)
  expect([strikes.total, strikes.lastReason]).toEqual([5, 'wrong-order'])
})

test('a fifth strike after the minute is over counts with the four before it only', () => {
  const strikes = new Strikes()
  for (const ms of [0, 10_000, 20_000, 30_000]) strikes.add('wrong-token', ms)
  expect(strikes.add('wrong-token', 60_000)).toBe(false)
  expect(strikes.add('wrong-token', 69_999)).toBe(true)
})

test('F-14 after a standstill of the relay nobody is struck for being late', () => {
  const strikes = new Strikes()
  strikes.excuse(1_000)
  for (let count = 0; count < 20; count++) {
    expect(strikes.add('hash-missing', 1_500)).toBe(false)
  }
  expect(strikes.total).toBe(0)
  // A lie is a lie at any time.
  for (let count = 0; count < 4; count++) strikes.add('wrong-seat', 1_500)
  expect(strikes.add('wrong-seat', 1_500)).toBe(true)
})

test('on any times it says what a list of all of them says', () => {
  const reason = fc.constantFrom<StrikeReason>('wrong-seat', 'hash-missing')
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(30_000), reason), { maxLength: 40 }), (steps) => {
      const strikes = new Strikes()
      const times: number[] = []
      let nowMs = 0
      for (const [ms, why] of steps) {
        nowMs += ms
        times.push(nowMs)
        const recent = times.filter((one) => nowMs - one < strikeWindowMs)
        expect(strikes.add(why, nowMs)).toBe(recent.length >= strikesMax)
      }
    }),
    { numRuns: 300 },
  )
})
