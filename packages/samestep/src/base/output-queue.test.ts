import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OutputQueue } from './output-queue.ts'

test('what goes in first comes out first, as from a naive queue', () => {
  // Long runs, so that taken items are let go in the middle as well as at the end.
  const runs = fc.array(fc.record({ push: fc.nat(900), shift: fc.nat(900) }), { maxLength: 12 })
  fc.assert(
    fc.property(runs, (all) => {
      const queue = new OutputQueue<number>()
      const naive: number[] = []
      let next = 0
      for (const { push, shift } of all) {
        for (let left = push; left > 0; left--) {
          queue.push(next)
          naive.push(next++)
        }
        const expected = naive.splice(0, shift)
        const taken = Array.from({ length: shift }, () => queue.shift())
        expect(taken.filter((item) => item !== undefined)).toEqual(expected)
        expect(queue.length).toBe(naive.length)
        expect(queue.isEmpty).toBe(naive.length === 0)
      }
    }),
    { numRuns: 50 },
  )
})

test('an empty queue gives nothing, again and again', () => {
  const queue = new OutputQueue<string>()
  expect([queue.shift(), queue.shift(), queue.length, queue.isEmpty]).toEqual([
    undefined,
    undefined,
    0,
    true,
  ])
})
