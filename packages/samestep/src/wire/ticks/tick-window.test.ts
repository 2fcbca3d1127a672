import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shortTicksMax, tickBits } from '../limits.ts'
import { expandTick, isWithinWindow, truncateTick } from './tick-window.ts'

const range = 2 ** tickBits

test('a tick within the window is found again, over several wraps', () => {
  for (let near = 0; near <= 5 * range; near++) {
    for (let distance = -shortTicksMax; distance <= shortTicksMax; distance++) {
      const tick = near + distance
      if (tick < 0) continue
      if (expandTick(truncateTick(tick), near) !== tick) expect.unreachable(`${tick} near ${near}`)
    }
  }
})

test('a match that runs for years loses no tick', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: range, max: 2 ** 53 - range }),
      fc.integer({ min: -shortTicksMax, max: shortTicksMax }),
      (near, distance) => {
        expect(expandTick(truncateTick(near + distance), near)).toBe(near + distance)
      },
    ),
  )
})

test('what is received is always within half the range of where the receiver is', () => {
  fc.assert(
    fc.property(fc.nat(range - 1), fc.nat(100_000), (low, near) => {
      const tick = expandTick(low, near)
      expect(tick - near).toBeGreaterThanOrEqual(-range / 2)
      expect(tick - near).toBeLessThan(range / 2)
      expect((tick + range) % range).toBe(low)
    }),
  )
})

test('just outside half the range, a tick is taken for another one', () => {
  expect(expandTick(truncateTick(1_000 + range / 2), 1_000)).toBe(1_000 - range / 2)
  expect(expandTick(truncateTick(1_000 - range / 2 - 1), 1_000)).toBe(1_000 + range / 2 - 1)
})

test('near the start of a match, nonsense lies below zero', () => {
  expect(expandTick(255, 0)).toBe(-1)
  expect(expandTick(128, 0)).toBe(-128)
  expect(expandTick(127, 0)).toBe(127)
})

test('the window ends after its last tick', () => {
  expect(isWithinWindow(1_000 + shortTicksMax, 1_000)).toBe(true)
  expect(isWithinWindow(1_000 - shortTicksMax, 1_000)).toBe(true)
  expect(isWithinWindow(1_001 + shortTicksMax, 1_000)).toBe(false)
  expect(isWithinWindow(999 - shortTicksMax, 1_000)).toBe(false)
})
