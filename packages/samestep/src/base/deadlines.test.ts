import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Deadlines } from './deadlines.ts'

type Step =
  | { readonly kind: 'set'; readonly item: string; readonly atMs: number }
  | { readonly kind: 'delete'; readonly item: string }
  | { readonly kind: 'due'; readonly nowMs: number }

const item = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('set' as const),
      item,
      atMs: fc.oneof(fc.nat(20), fc.constant(Number.POSITIVE_INFINITY)),
    }),
    fc.record({ kind: fc.constant('delete' as const), item }),
    fc.record({ kind: fc.constant('due' as const), nowMs: fc.nat(25) }),
  ),
  { maxLength: 120 },
)

test('deadlines behave as a map that is searched from end to end', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const deadlines = new Deadlines<string>()
      const naive = new Map<string, number>()
      for (const step of all) {
        if (step.kind === 'delete') {
          deadlines.delete(step.item)
          naive.delete(step.item)
        } else if (step.kind === 'set') {
          deadlines.set(step.item, step.atMs)
          if (step.atMs === Number.POSITIVE_INFINITY) naive.delete(step.item)
          else naive.set(step.item, step.atMs)
        } else {
          const soonest = Math.min(...naive.values())
          const due = deadlines.due(step.nowMs)
          if (soonest > step.nowMs) expect(due).toBeUndefined()
          else {
            // Of several for the same time, either may come first.
            expect(naive.get(due as string)).toBe(soonest)
            naive.delete(due as string)
          }
        }
        expect(deadlines.soonestMs()).toBe(Math.min(...naive.values()))
      }
    }),
    { numRuns: 500 },
  )
})

test('a deadline is given once', () => {
  const deadlines = new Deadlines<string>()
  deadlines.set('a', 10)
  deadlines.set('a', 20)
  deadlines.set('a', 10)
  expect(deadlines.due(9)).toBeUndefined()
  expect(deadlines.due(10)).toBe('a')
  expect(deadlines.due(100)).toBeUndefined()
  expect(deadlines.soonestMs()).toBe(Number.POSITIVE_INFINITY)
})
