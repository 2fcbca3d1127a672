import { describe, expect, test } from 'vitest'
import { Sometimes } from './sometimes.ts'

describe('Sometimes', () => {
  test('reports what a batch of runs met, and what it missed', () => {
    const batch = new Sometimes(['rejoined', 'relay died', 'vote tied'])
    const run = new Sometimes()
    run.hit('rejoined')
    run.hit('rejoined')
    run.hit('vote tied', false)
    run.hit('unforeseen')
    batch.merge(run.toJson())
    batch.merge(run.toJson())
    expect(batch.count('rejoined')).toBe(4)
    expect(batch.report()).toEqual({
      known: 4,
      met: 2,
      missing: ['relay died', 'vote tied'],
      counts: { 'relay died': 0, 'vote tied': 0, rejoined: 4, unforeseen: 2 },
    })
  })
})
