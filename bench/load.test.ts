import { expect, test } from 'vitest'
import { describeBusy, loadBetween, markLoad, parseBusyMs } from './load.ts'

test('busy time is everything but idle and waiting for disks', () => {
  const text = 'cpu  100 10 50 9999 777 5 3 2 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n'
  expect(parseBusyMs(text)).toBe(1700)
})

test('what others used is the whole minus our own', () => {
  const before = { wallMs: 0, ownMs: 100, busyMs: 1000 }
  const after = { wallMs: 1000, ownMs: 1000, busyMs: 2600 }
  const load = loadBetween(before, after, 2)
  expect(load.ownCores).toBeCloseTo(0.9)
  expect(load.otherCores).toBeCloseTo(0.7)
})

test('coarse kernel clocks never give a negative load', () => {
  const before = { wallMs: 0, ownMs: 0, busyMs: 0 }
  expect(loadBetween(before, { wallMs: 10, ownMs: 10, busyMs: 0 }, 2).otherCores).toBe(0)
})

test('a quiet machine is not worth a sentence', () => {
  expect(describeBusy({ ownCores: 1, otherCores: 0.1, cores: 2 })).toBeUndefined()
})

test('a busy machine is, with the figures that show it', () => {
  expect(describeBusy({ ownCores: 1, otherCores: 1.26, cores: 4 })).toBe(
    'The machine was busy: others used 1.3 of 4 cores. Trust the ratios more than the times.',
  )
  expect(describeBusy({ ownCores: 0.5, otherCores: 1.5, cores: 2 })).toMatch(
    /, and this process got 50 % of one\. Trust/,
  )
})

test('marks of this machine only grow', () => {
  const before = markLoad()
  const after = markLoad()
  expect(after.wallMs).toBeGreaterThanOrEqual(before.wallMs)
  expect(after.ownMs).toBeGreaterThanOrEqual(before.ownMs)
  expect(after.busyMs).toBeGreaterThanOrEqual(before.busyMs)
})
