import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bundleBytesMax,
  bundleChargeBytes,
  logBytesMax,
  windowBytesMax,
  windowTicksMin,
} from '../../../wire/limits.ts'
import { BundleLog } from './bundle-log.ts'

function bundle(tick: number): Uint8Array {
  return new Uint8Array(1 + (tick % 7)).fill(tick)
}

test('an empty log has sealed nothing and keeps nothing', () => {
  const log = new BundleLog(30)
  expect([log.sealedTick, log.firstTick, log.bytes]).toEqual([0, 1, 0])
  expect(() => log.at(1)).toThrowError(/Tick 1 is not in the log/)
})

test('ticks are found by their numbers, until they are dropped', () => {
  const log = new BundleLog(30)
  for (let tick = 1; tick <= 10; tick++) log.append(bundle(tick))
  expect(log.at(1)).toEqual(bundle(1))
  log.dropBefore(4)
  expect([log.firstTick, log.sealedTick]).toEqual([4, 10])
  expect(() => log.at(3)).toThrowError(/not in the log/)
  expect(() => log.at(11)).toThrowError(/not in the log/)
  expect(log.at(4)).toEqual(bundle(4))
})

test('dropping more than there is leaves an empty log that goes on with the next tick', () => {
  const log = new BundleLog(30)
  log.append(bundle(1))
  log.dropBefore(1_000)
  expect([log.firstTick, log.sealedTick, log.bytes]).toEqual([2, 1, 0])
  log.append(bundle(2))
  expect(log.at(2)).toEqual(bundle(2))
})

test.each([1, 10, 30, 60, 120, 240])(
  'at %i ticks per second a log keeps 90 s and lets the oldest go',
  (tickRate) => {
    const log = new BundleLog(tickRate)
    for (let tick = 1; tick <= 90 * tickRate + 5; tick++) log.append(bundle(tick))
    expect([log.firstTick, log.sealedTick]).toEqual([6, 90 * tickRate + 5])
  },
)

test('a match that goes faster keeps as many seconds, and one that is slower again lets the rest go', () => {
  const log = new BundleLog(10)
  log.setPace(20)
  for (let tick = 1; tick <= 2_000; tick++) log.append(bundle(tick))
  expect(log.sealedTick - log.firstTick + 1).toBe(1_800)
  log.setPace(10)
  log.append(bundle(2_001))
  expect(log.sealedTick - log.firstTick + 1).toBe(900)
})

test('a log of large bundles is bounded by its bytes', () => {
  const log = new BundleLog(240)
  const large = new Uint8Array(bundleBytesMax)
  for (let tick = 1; tick <= 4_000; tick++) log.append(large)
  const count = log.sealedTick - log.firstTick + 1
  expect(count).toBe(Math.floor(logBytesMax / (bundleBytesMax + bundleChargeBytes)))
  // Tiny ones are bounded too, far above what 240 ticks per second make.
  const tiny = new BundleLog(100_000)
  for (let tick = 1; tick <= 100_000; tick++) tiny.append(new Uint8Array(1))
  expect(tiny.sealedTick - tiny.firstTick + 1).toBe(Math.floor(logBytesMax / 129))
})

test.each([
  [10, 120],
  [30, 120],
  [60, 240],
  [240, 960],
])('at %i ticks per second, %i of them may be on their way', (tickRate, ticks) => {
  const log = new BundleLog(tickRate)
  for (let tick = 1; tick <= 1_100; tick++) log.append(bundle(tick))
  expect(log.lastFor(100)).toBe(Math.min(100 + ticks, 1_100))
  expect(log.lastFor(1_090)).toBe(1_100)
})

test('what is on its way fits what a stream holds, however large the bundles are', () => {
  const log = new BundleLog(240)
  for (let tick = 1; tick <= 1_000; tick++) log.append(new Uint8Array(bundleBytesMax))
  expect(log.lastFor(5)).toBe(5 + windowTicksMin)
  const half = new BundleLog(240)
  for (let tick = 1; tick <= 1_000; tick++) half.append(new Uint8Array(bundleBytesMax / 2))
  expect(half.lastFor(0)).toBe((2 * windowBytesMax) / bundleBytesMax)
})

test('bytes are those of the ticks that are kept, over any sequence of steps', () => {
  const step = fc.oneof(fc.constant('append' as const), fc.nat(60))
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 100 }),
      fc.integer({ min: 1, max: 200 }),
      (all, most) => {
        const log = new BundleLog(most / 90)
        for (const next of all) {
          if (next === 'append') log.append(bundle(log.sealedTick + 1))
          else log.dropBefore(next)
          let bytes = 0
          for (let tick = log.firstTick; tick <= log.sealedTick; tick++) {
            expect(log.at(tick)).toEqual(bundle(tick))
            bytes += log.at(tick).byteLength
          }
          expect(log.bytes).toBe(bytes)
          expect(log.sealedTick - log.firstTick + 1).toBeLessThanOrEqual(most)
        }
      },
    ),
  )
})
