import { expect, test } from 'vitest'
import { RateMeter } from './rate-meter.ts'

test('a steady flow is told as it is, from the first window on', () => {
  const meter = new RateMeter()
  expect(meter.perSecond).toBe(0)
  for (let ms = 0; ms <= 1_000; ms += 10) meter.note(5 * ms, ms)
  expect(meter.perSecond).toBeCloseTo(5_000, 9)
})

test('a change is followed by a tenth for each window', () => {
  const meter = new RateMeter()
  meter.note(0, 0)
  meter.note(100, 100)
  expect(meter.perSecond).toBe(1_000)
  // Too short a window says nothing yet.
  meter.note(150, 150)
  expect(meter.perSecond).toBe(1_000)
  meter.note(300, 200)
  expect(meter.perSecond).toBeCloseTo(1_100, 9)
})

test('a new link begins at nothing', () => {
  const meter = new RateMeter()
  meter.note(0, 0)
  meter.note(9_000, 100)
  meter.restart()
  expect(meter.perSecond).toBe(0)
  meter.note(10, 5_000)
  meter.note(20, 5_100)
  expect(meter.perSecond).toBe(100)
})
