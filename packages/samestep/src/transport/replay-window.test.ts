import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvariantError } from '../base/assert.ts'
import { ReplayWindow, replayWindowPackets } from './replay-window.ts'

/** Where JavaScript's ways of counting change. */
const edges = [0, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1] as const

describe('T-07 a number counts once', () => {
  test.each(edges)('at %i', (edge) => {
    const window = new ReplayWindow()
    expect(window.isNew(edge)).toBe(true)
    window.add(edge)
    expect(window.isNew(edge)).toBe(false)
    expect(() => window.add(edge)).toThrow(InvariantError)
    expect(window.newest).toBe(edge)
    const oldest = edge - (replayWindowPackets - 1)
    if (oldest < 1) return
    expect(window.isNew(oldest)).toBe(true)
    expect(window.isNew(oldest - 1)).toBe(false)
    window.add(oldest)
    expect(window.isNew(oldest)).toBe(false)
    expect(window.isNew(oldest + 1)).toBe(true)
  })

  test('whatever comes in whatever sequence, as a set of all numbers would tell', () => {
    const jump = fc.oneof(
      fc.integer({ min: -1_100, max: 40 }),
      fc.integer({ min: -5, max: 5 }),
      fc.integer({ min: 900, max: 5_000 }),
    )
    const start = fc.constantFrom(...edges)
    fc.assert(
      fc.property(start, fc.array(jump, { maxLength: 200 }), (first, jumps) => {
        const window = new ReplayWindow()
        const seen = new Set<number>()
        let newest = -1
        let number: number = first
        for (const step of [0, ...jumps]) {
          number = Math.min(Math.max(number + step, 0), Number.MAX_SAFE_INTEGER)
          const isOld = newest - number >= replayWindowPackets
          expect(window.isNew(number)).toBe(!isOld && !seen.has(number))
          if (!window.isNew(number)) continue
          window.add(number)
          seen.add(number)
          newest = Math.max(newest, number)
          expect(window.newest).toBe(newest)
        }
      }),
      { numRuns: 300 },
    )
  })
})

test('numbers that JavaScript cannot tell apart are a bug of the caller', () => {
  const window = new ReplayWindow()
  for (const number of [2 ** 53, 2 ** 64, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => window.add(number)).toThrow(InvariantError)
  }
  expect(window.newest).toBe(-1)
})
