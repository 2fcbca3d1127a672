import { expect, test } from 'vitest'
import { Prng } from '../packages/samestep/src/base/prng.ts'
import {
  conditionalEntropy,
  leastEntropy,
  noContext,
  previousPair,
  previousSign,
  previousValue,
} from './entropy.ts'

function draw(count: number, next: (random: Prng, before: number) => number): Int32Array {
  const random = new Prng(1, 'entropy')
  const values = new Int32Array(count)
  for (let index = 0; index < count; index++) {
    values[index] = next(random, index === 0 ? 0 : (values[index - 1] as number))
  }
  return values
}

const binary = (p: number): number => -p * Math.log2(p) - (1 - p) * Math.log2(1 - p)

test('what never changes takes no bits', () => {
  expect(conditionalEntropy([new Int32Array(100)], noContext)).toBe(0)
  expect(conditionalEntropy([], noContext)).toBe(0)
})

test('a fair coin takes one bit, and knowing the last throw does not help', () => {
  const throws = draw(50_000, (random) => random.below(2))
  expect(conditionalEntropy([throws], noContext)).toBeCloseTo(1, 3)
  expect(conditionalEntropy([throws], previousValue)).toBeCloseTo(1, 3)
})

test('a button that changes once in twenty ticks takes the entropy of that', () => {
  const button = draw(100_000, (random, before) => (random.chance(0.05) ? 1 - before : before))
  expect(conditionalEntropy([button], noContext)).toBeGreaterThan(0.9)
  expect(conditionalEntropy([button], previousValue)).toBeCloseTo(binary(0.05), 2)
  expect(conditionalEntropy([button], previousPair)).toBeCloseTo(binary(0.05), 2)
})

test('a context of many values does not seem to predict noise', () => {
  const noise = draw(20_000, (random) => random.below(64))
  // Uncorrected it would come out 0.15 bits too low: every context has seen few values.
  expect(conditionalEntropy([noise], previousValue)).toBeCloseTo(6, 1)
  expect(conditionalEntropy([noise], previousValue)).toBeGreaterThan(5.98)
})

test('signs are enough to predict what only has a direction', () => {
  const steps = draw(50_000, (random, before) => {
    const sign = random.chance(0.02) ? -Math.sign(before || 1) : Math.sign(before || 1)
    return sign * (1 + random.below(8))
  })
  expect(conditionalEntropy([steps], previousSign)).toBeCloseTo(3 + binary(0.02), 1)
})

test('the best of several contexts counts', () => {
  const button = draw(10_000, (random, before) => (random.chance(0.1) ? 1 - before : before))
  expect(leastEntropy([button], [noContext, previousValue])).toBe(
    conditionalEntropy([button], previousValue),
  )
})

test('a context too large for the sample does not count', () => {
  const noise = draw(5_000, (random) => random.below(64))
  expect(conditionalEntropy([noise], previousValue)).toBeLessThan(5.8)
  expect(leastEntropy([noise], [noContext, previousValue])).toBe(
    conditionalEntropy([noise], noContext),
  )
})

test('sequences do not see each other', () => {
  const values = Int32Array.of(1, 1, 1, 1)
  expect(conditionalEntropy([values, Int32Array.of(0, 0, 0, 0)], previousValue)).toBeLessThan(
    conditionalEntropy([Int32Array.of(1, 0, 1, 0), Int32Array.of(0, 1, 1, 0)], noContext),
  )
})
