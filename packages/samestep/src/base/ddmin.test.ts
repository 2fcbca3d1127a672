import { describe, expect, test } from 'vitest'
import { ddmin } from './ddmin.ts'
import { Prng } from './prng.ts'

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

describe('ddmin', () => {
  test('finds what is needed, wherever it is, and nothing else', () => {
    const prng = new Prng(1)
    for (let turn = 0; turn < 200; turn++) {
      const length = 1 + prng.below(60)
      const needed = new Set(prng.shuffle(upTo(length)).slice(0, prng.below(5)))
      const isFailing = (subset: readonly number[]): boolean =>
        [...needed].every((item) => subset.includes(item))
      expect(ddmin(upTo(length), isFailing)).toEqual(upTo(length).filter((at) => needed.has(at)))
    }
  })

  test('no single element of its result can go, even where parts depend on each other', () => {
    // Fails with at least two even numbers, or with 7 and an odd number below it.
    const isFailing = (subset: readonly number[]): boolean =>
      subset.filter((item) => item % 2 === 0).length >= 2 ||
      (subset.includes(7) && subset.some((item) => item % 2 === 1 && item < 7))
    const found = ddmin(upTo(40), isFailing)
    expect(isFailing(found)).toBe(true)
    for (const item of found) expect(isFailing(found.filter((at) => at !== item))).toBe(false)
  })

  test('asks about n log n subsets at most for one needed element', () => {
    let asked = 0
    ddmin(upTo(1024), (subset) => {
      asked++
      return subset.includes(700)
    })
    expect(asked).toBeLessThan(40)
  })
})
