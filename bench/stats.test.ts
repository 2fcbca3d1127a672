import { describe, expect, test } from 'vitest'
import {
  checkFigures,
  checkTargets,
  estimate,
  isWithin,
  median,
  pairedRatios,
  quantile,
  spread,
} from './stats.ts'

describe('medians', () => {
  test('take the middle, or the mean of the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 3, 2])).toBe(2.5)
    expect(median([7])).toBe(7)
  })

  test('sort by number, not by spelling', () => {
    expect(median([100, 9, 20])).toBe(20)
  })

  test('leave the samples as they were', () => {
    const samples = [3, 1, 2]
    median(samples)
    expect(samples).toEqual([3, 1, 2])
  })

  test('of nothing are refused', () => {
    expect(() => median([])).toThrow('Cannot take a quantile of no samples')
  })

  test('are not moved by one terrible round', () => {
    expect(median([10, 10, 10, 10, 9_000])).toBe(10)
  })
})

test('quantiles lie linear between their neighbours', () => {
  expect(quantile([0, 10, 20, 30, 40], 0.25)).toBe(10)
  expect(quantile([0, 10], 0.25)).toBe(2.5)
  expect(quantile([5, 6], 1)).toBe(6)
  expect(quantile([5, 6], 0)).toBe(5)
})

test('spread is half the middle half, relative to the median', () => {
  expect(spread([10, 10, 10])).toBe(0)
  expect(spread([80, 90, 100, 110, 120])).toBeCloseTo(0.1)
  expect(spread([0, 0, 0])).toBe(0)
})

describe('estimates', () => {
  test('hold their median between their ends', () => {
    const samples = Array.from({ length: 100 }, (_, index) => index)
    expect(estimate(samples)).toEqual({ value: 49.5, low: 40, high: 60 })
  })

  test('narrow as samples come in', () => {
    const width = (count: number): number => {
      const { low, high } = estimate(Array.from({ length: count }, (_, index) => index / count))
      return high - low
    }
    expect(width(400)).toBeLessThan(width(100))
    expect(width(100)).toBeLessThan(width(25))
  })

  test('of few samples span them all', () => {
    expect(estimate([3, 1, 2])).toEqual({ value: 2, low: 1, high: 3 })
  })
})

describe('ratios', () => {
  test('are taken within a round, so that a slow second drops out', () => {
    const slow = 10
    const of = [1, 1 * slow, 1, 1]
    const against = [2, 2 * slow, 2, 2]
    expect(pairedRatios(of, against)).toEqual([0.5, 0.5, 0.5, 0.5])
  })

  test('need as many rounds on either side', () => {
    expect(() => pairedRatios([1], [1, 2])).toThrow('Cannot pair 1 rounds with 2')
  })
})

describe('targets', () => {
  const rounds = { ours: [1, 1, 1], theirs: [4, 4, 4] }

  test.each([
    [{ of: 'ours', against: 'theirs', atMost: 0.25 }, true],
    [{ of: 'ours', against: 'theirs', atMost: 0.24 }, false],
    [{ of: 'theirs', against: 'ours', atLeast: 4 }, true],
    [{ of: 'theirs', against: 'ours', atLeast: 4.1 }, false],
    [{ of: 'theirs', against: 'ours', atLeast: 3, atMost: 5 }, true],
  ])('%j is met: %s', (target, isMet) => {
    expect(checkTargets([target], rounds)).toMatchObject([{ ...target, isMet }])
  })

  test('are judged by the paired median, not by the ratio of the medians', () => {
    // The machine slowed down from round to round; within each round, both are equal.
    const drifting = { ours: [1, 2, 3, 4, 5], theirs: [1, 2, 3, 4, 5] }
    const [result] = checkTargets([{ of: 'ours', against: 'theirs', atMost: 1 }], drifting)
    expect(result).toMatchObject({ isMet: true, ratio: { value: 1, low: 1, high: 1 } })
  })

  test('name the contenders when theirs does not exist', () => {
    const target = { of: 'ours', against: 'nobody', atMost: 1 }
    expect(() => checkTargets([target], rounds)).toThrow(
      "Cannot compare with 'nobody': the contenders are ours, theirs",
    )
  })
})

test('figures are checked against their own limits', () => {
  const figures = [
    { name: 'idle tick', value: 3, unit: 'B', atMost: 3 },
    { name: 'idle tick', value: 4, unit: 'B', atMost: 3 },
    { name: 'players', value: 9, unit: '', atLeast: 10 },
    { name: 'only told', value: 1e9, unit: 'B' },
  ]
  expect(checkFigures(figures).map(({ isMet }) => isMet)).toEqual([true, false, false, true])
})

test('a value on the limit is within it, and no value is no limit', () => {
  expect(isWithin(5, { atMost: 5, atLeast: 5 })).toBe(true)
  expect(isWithin(5, {})).toBe(true)
  expect(isWithin(Number.NaN, { atMost: 5 })).toBe(false)
})
