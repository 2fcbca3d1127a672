import { describe, expect, test } from 'vitest'
import { type Effort, measureSuite } from './measure.ts'
import type { Suite } from './types.ts'

/** As little as possible: these tests look at the bookkeeping, never at a time. */
const effort: Effort = { warmUpMs: 0, budgetMs: 0, roundsMin: 6, roundsMax: 9, sampleMs: 0 }

function plantSuite(contenders: Record<string, () => unknown>, parts: Partial<Suite> = {}): Suite {
  return {
    name: 'planted',
    work: 'nothing',
    baseline: 'a',
    prepare: () => ({ contenders }),
    ...parts,
  }
}

describe('rounds', () => {
  test('give every contender one turn, in rotating sequence', async () => {
    const turns: string[] = []
    const note = (name: string) => () => {
      turns.push(name)
    }
    const suite = plantSuite({ a: note('a'), b: note('b'), c: note('c') })
    const { rounds } = await measureSuite(suite, effort)
    expect(rounds).toBe(6)
    expect(turns.slice(-18).join('')).toBe('abcbcacababcbcacab')
  })

  test('end at the budget, but not before there are enough', async () => {
    const suite = plantSuite({ a: () => 1 })
    expect((await measureSuite(suite, effort)).rounds).toBe(6)
    expect((await measureSuite(suite, { ...effort, budgetMs: 1e9 })).rounds).toBe(9)
  })

  test('tell their progress, which only grows', async () => {
    const shares: number[] = []
    await measureSuite(plantSuite({ a: () => 1 }), effort, (share) => shares.push(share))
    expect(shares).toHaveLength(6)
    expect(shares).toEqual([...shares].sort((a, b) => a - b))
  })
})

describe('a result', () => {
  test('has every contender, relative to the baseline', async () => {
    const { contenders } = await measureSuite(plantSuite({ b: () => 1, a: () => 2 }), effort)
    expect(contenders.map(({ name }) => name)).toEqual(['b', 'a'])
    expect(contenders[1]?.ratio).toEqual({ value: 1, low: 1, high: 1 })
  })

  test('has the figures of the suite, checked', async () => {
    const figures = [{ name: 'bytes', value: 5, unit: 'B', atMost: 4 }]
    const prepare = () => ({ contenders: { a: () => 1 }, figures })
    const result = await measureSuite(plantSuite({}, { prepare }), effort)
    expect(result.figures).toMatchObject([{ name: 'bytes', isMet: false }])
  })
})

describe('a mistake in a suite', () => {
  test.each([
    ['a baseline that does not exist', { baseline: 'z' }, /Cannot compare with 'z'/],
    [
      'a target that does not exist',
      { targets: [{ of: 'a', against: 'z', atMost: 1 }] },
      /Cannot compare with 'z': the contenders are a/,
    ],
  ])('%s is found before anything is measured', async (_what, parts, message) => {
    let calls = 0
    const suite = plantSuite({ a: () => calls++ }, parts)
    await expect(measureSuite(suite, effort)).rejects.toThrow(message)
    expect(calls).toBe(0)
  })

  test('a promise is refused: only its making would be timed', async () => {
    const suite = plantSuite({ a: async () => 1 })
    await expect(measureSuite(suite, effort)).rejects.toThrow(
      "Cannot time 'a': it returns a promise",
    )
  })

  test('still closes what was prepared', async () => {
    let isClosed = false
    const prepare = () => ({
      contenders: {
        a: () => {
          throw new Error('planted')
        },
      },
      close: () => {
        isClosed = true
      },
    })
    await expect(measureSuite(plantSuite({}, { prepare }), effort)).rejects.toThrow('planted')
    expect(isClosed).toBe(true)
  })
})
