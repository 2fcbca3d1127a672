import { describe, expect, test } from 'vitest'
import type { ReturnCase } from './return-cost.ts'
import { bundleSeconds, isStateCheaper, stateSeconds } from './return-cost.ts'

/** A minute away from a match of 30 ticks per second, with a machine that runs them easily. */
const minuteAway: ReturnCase = {
  ticksPerSecond: 30,
  missedTicks: 1_800,
  missedBytes: 40_000,
  loadPercent: 5,
  lineBytesPerSecond: undefined,
  stateBytes: 200_000,
  isStateReady: false,
}

describe('somebody who comes back with an old state', () => {
  test.each<[string, Partial<ReturnCase>, boolean]>([
    ['on a fast machine runs what it missed', {}, false],
    ['on a slow machine gets the state', { loadPercent: 60 }, true],
    ['on a machine that gains nothing gets the state', { loadPercent: 95 }, true],
    ['on a slow machine, after a moment, runs it', { loadPercent: 60, missedTicks: 100 }, false],
    [
      'on a slow machine runs it where the state is huge and the line is thin',
      { loadPercent: 40, stateBytes: 16_000_000, lineBytesPerSecond: 100_000 },
      false,
    ],
    [
      'on a thin line gets the state where the ticks are larger',
      { missedBytes: 6_000_000, lineBytesPerSecond: 200_000, isStateReady: true },
      true,
    ],
  ])('%s', (_, change, expected) => {
    expect(isStateCheaper({ ...minuteAway, ...change })).toBe(expected)
  })

  test('needs a little more than the ticks divided by what it gains', () => {
    // 0.8 of a machine at 60 percent are 40 ticks per second: ten more than the match makes.
    expect(bundleSeconds({ ...minuteAway, loadPercent: 60 })).toBeCloseTo(0.04 + 180, 5)
    expect(stateSeconds({ ...minuteAway, loadPercent: 60, isStateReady: true })).toBeCloseTo(0.8, 5)
  })
})
