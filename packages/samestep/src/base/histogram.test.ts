import { expect, test } from 'vitest'
import { emptyHistogram, Histogram, histogramStepsMs } from './histogram.ts'

test('a duration counts in the first step that it does not exceed', () => {
  const histogram = new Histogram()
  for (const ms of [0, 1, 1.1, 50, 51, 2_000, 2_001, 90_000]) histogram.note(ms)
  expect(histogram.view()).toEqual({
    count: 8,
    sumMs: 94_104.1,
    maxMs: 90_000,
    counts: [2, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 2],
  })
})

test('two together are as one that had heard of everything; a view never changes', () => {
  const [one, other, both] = [new Histogram(), new Histogram(), new Histogram()]
  for (const ms of [3, 700]) {
    one.note(ms)
    both.note(ms)
  }
  for (const ms of [12, 3_000, 0]) {
    other.note(ms)
    both.note(ms)
  }
  const before = one.view()
  one.add(other.view())
  expect(one.view()).toEqual(both.view())
  expect(before.count).toBe(2)
})

test('steps ascend, and an empty one says so', () => {
  expect([...histogramStepsMs].sort((a, b) => a - b)).toEqual(histogramStepsMs)
  expect(emptyHistogram).toMatchObject({ count: 0, sumMs: 0, maxMs: 0 })
  expect(emptyHistogram.counts).toHaveLength(histogramStepsMs.length + 1)
})
