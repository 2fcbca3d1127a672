import fc from 'fast-check'
import { expect, test } from 'vitest'
import { binsPerTick, LoopWindows } from './loop-windows.ts'

const options = { seats: 3, samples: 20, levelSamples: 5, ticksMax: 6, intervalMs: 40 }

/** The same by sorting. */
function binOf(sorted: readonly number[], rank: number, intervalMs: number): number {
  const loop = sorted[sorted.length - rank] ?? 0
  return Math.min(Math.ceil(loop / (intervalMs / binsPerTick)), 7 * binsPerTick)
}

function check(
  windows: LoopWindows,
  seat: number,
  added: readonly number[],
  intervalMs: number,
): void {
  const sorted = added.slice(-20).sort((a, b) => a - b)
  const newest = added.slice(-5).sort((a, b) => a - b)
  const { length } = sorted
  expect(windows.countOf(seat)).toBe(length)
  if (length === 0) return
  const rank = length - Math.ceil(length * 0.95 - 1e-9) + 1
  expect(windows.p95Bin(seat)).toBe(binOf(sorted, rank, intervalMs))
  expect(windows.levelBin(seat)).toBe(binOf(newest, (newest.length + 1) >> 1, intervalMs))
  expect(windows.loopMs(seat, 1)).toBe(sorted.at(-1))
  expect(windows.loopMs(seat, 0.5)).toBe(sorted[Math.max(Math.ceil(length / 2), 1) - 1])
}

test('counts tell what sorting tells, for every seat on its own and after a change of the interval', () => {
  const loops = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60 })
  fc.assert(
    fc.property(loops, loops, fc.integer({ min: 10, max: 100 }), (one, two, intervalMs) => {
      const windows = new LoopWindows(options)
      for (const loop of one) windows.add(0, loop)
      for (const loop of two) windows.add(2, loop)
      check(windows, 0, one, 40)
      check(windows, 1, [], 40)
      check(windows, 2, two, 40)
      windows.setTickInterval(intervalMs)
      check(windows, 0, one, intervalMs)
      check(windows, 2, two, intervalMs)
      for (const loop of two) windows.add(0, loop)
      check(windows, 0, [...one, ...two], intervalMs)
    }),
  )
})

test('a seat that starts anew has forgotten everything, and the others nothing', () => {
  const windows = new LoopWindows(options)
  for (let index = 0; index < 50; index++) {
    windows.add(0, 200)
    windows.add(1, 200)
  }
  windows.clear(0)
  expect([windows.countOf(0), windows.loopMs(0, 1)]).toEqual([0, -1])
  windows.add(0, 10)
  expect([windows.p95Bin(0), windows.levelBin(0)]).toEqual([1, 1])
  expect(windows.p95Bin(1)).toBe(20)
})

test('what is longer than the range is counted as one tick more', () => {
  const windows = new LoopWindows(options)
  windows.add(0, 100_000)
  expect(windows.p95Bin(0)).toBe(7 * binsPerTick)
  windows.add(0, -5)
  expect(windows.loopMs(0, 0)).toBe(-5)
})
