import { expect, test } from 'vitest'
import { sampleMemory, slopePerMinute } from './memory.ts'

test('what grows by the same each minute has that slope, whatever it starts from', () => {
  const samples = [0, 1, 2, 3].map((minutes) => ({ minutes, kb: 20_000 + 300 * minutes }))
  expect(slopePerMinute(samples)).toBeCloseTo(300)
})

test('noise around a level has no slope', () => {
  const samples = [0, 1, 2, 3, 4].map((minutes) => ({ minutes, kb: minutes % 2 === 0 ? 90 : 110 }))
  expect(slopePerMinute(samples)).toBeCloseTo(0)
})

test('two samples are no trend', () => {
  expect(
    slopePerMinute([
      { minutes: 0, kb: 1 },
      { minutes: 1, kb: 9 },
    ]),
  ).toBeUndefined()
})

test('a sample sees what is held, and not what was let go', () => {
  const before = sampleMemory(0).heapKb
  let held: number[][] | undefined = Array.from({ length: 100 }, () => new Array(10_000).fill(1.5))
  const meanwhile = sampleMemory(1).heapKb
  expect(meanwhile - before).toBeGreaterThan(4_000)
  expect(held.length).toBe(100)
  held = undefined
  expect(meanwhile - sampleMemory(2).heapKb).toBeGreaterThan(4_000)
})
