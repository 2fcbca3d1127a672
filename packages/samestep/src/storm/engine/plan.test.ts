import { describe, expect, test } from 'vitest'
import { Prng } from '../../base/prng.ts'
import { makeFaultOps } from './faults/fault-maker.ts'
import { makeEmptyPlan, type Plan, readPlan, writePlan } from './plan.ts'

describe('plan', () => {
  test('a written plan reads back as it was, one entry per line', () => {
    const targets = [{ name: 'relay' }, { name: 'c1' }]
    const plan: Plan = {
      ...makeEmptyPlan(7, 'radioactive', 60_000),
      knobs: { tickRate: 20 },
      nodes: targets,
      links: [{ from: 'c1', to: 'relay', points: [{ atMs: 0, conditions: { kind: 'stream' } }] }],
      faults: makeFaultOps(new Prng(7, 'fault'), 'radioactive', targets, 60_000),
      work: [{ atMs: 5 }],
    }
    const text = writePlan(plan)
    expect(readPlan(text)).toEqual(plan)
    expect(text.split('\n').length).toBeGreaterThan(plan.faults.length + 10)
    expect(text).toContain('\n    {"atMs":5}\n')
  })

  test.each([
    ['not JSON', 'Cannot read the plan: it is not JSON'],
    ['null', 'Cannot read the plan: it is not an object'],
    [JSON.stringify({ version: 9 }), 'its version is 9; it must be 1'],
    [JSON.stringify({ ...makeEmptyPlan(1, 'sunny', 5), seed: -1 }), 'seed must be a number from 0'],
    [
      JSON.stringify({ ...makeEmptyPlan(1, 'sunny', 5), profile: 'rainy' }),
      'there is no profile rainy',
    ],
    [JSON.stringify({ ...makeEmptyPlan(1, 'sunny', 5), faults: {} }), 'faults must be a list'],
    [JSON.stringify({ ...makeEmptyPlan(1, 'sunny', 5), knobs: 3 }), 'knobs must be an object'],
  ])('what is no plan is refused: %s', (text, message) => {
    expect(() => readPlan(text)).toThrow(message)
  })
})
