import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SampleWindow } from './sample-window.ts'

test('an empty window answers zero', () => {
  const window = new SampleWindow(4)
  expect([window.count, window.min, window.max, window.percentile(0.95)]).toEqual([0, 0, 0, 0])
})

test('a percentile is the nearest rank: of twenty samples, 0.95 leaves exactly one above', () => {
  const window = new SampleWindow(20)
  for (let sample = 20; sample >= 1; sample--) window.add(sample)
  expect(window.percentile(0.95)).toBe(19)
  expect(window.percentile(0.5)).toBe(10)
  expect(window.percentile(0)).toBe(1)
  expect(window.percentile(1)).toBe(20)
})

test('order statistics equal those of sorting the newest samples, whatever was added', () => {
  const samples = fc.array(fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ noNaN: true })), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), samples, (capacity, added) => {
      const window = new SampleWindow(capacity)
      for (const sample of added) window.add(sample)
      const sorted = added.slice(-capacity).sort((a, b) => a - b)
      expect(window.count).toBe(sorted.length)
      expect(window.min).toBe(sorted[0] ?? 0)
      expect(window.max).toBe(sorted.at(-1) ?? 0)
      for (let rank = 1; rank <= sorted.length; rank++) {
        expect(window.percentile(rank / sorted.length)).toBe(sorted[rank - 1])
      }
    }),
  )
})

test('a cleared window has forgotten everything', () => {
  const window = new SampleWindow(2)
  window.add(7)
  window.add(8)
  window.clear()
  window.add(1)
  expect([window.count, window.min, window.max]).toEqual([1, 1, 1])
})
