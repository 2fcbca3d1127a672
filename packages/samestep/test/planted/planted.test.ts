import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commitNumber, shareOf } from '../commit-number.ts'
import { plantedBugs } from './bugs/all-bugs.ts'
import { plant, sourceFolder } from './build-bug.ts'
import type { BugHunt } from './find-bug.ts'
import { createBugHunt, distinctPlans, plansMax, readFoundIn, writeFoundIn } from './find-bug.ts'

/** A storm takes seconds; the longest queue for a processor takes minutes. */
const patienceMs = 600_000

const foundIn = readFoundIn()

/**
 * An eighth of all bugs, another one with each commit, the same wherever it is tested: all of them take
 * longer than everything else together. `npm run planted` looks for all.
 */
const chosenBugs = shareOf(plantedBugs, commitNumber(), 8)
let hunt: BugHunt

beforeAll(async () => {
  hunt = await createBugHunt()
})

afterAll(() => hunt.close())

/** One alone: `npx vitest run packages/samestep/test/planted -t ack-off-by-one`. */
describe.concurrent('storms', () => {
  test('find nothing where no bug is planted, in any plan that shows one', {
    timeout: patienceMs,
  }, async () => {
    const first = distinctPlans(
      chosenBugs.flatMap(({ id }) => {
        const plan = foundIn.get(id)
        return plan === undefined ? [] : [plan]
      }),
    )
    const clean = await hunt.find(undefined, { first, plansMax: 0 })
    expect(clean.message).toBeUndefined()
    expect(clean.plans).toBe(first.length)
  })

  test.each(chosenBugs)('find $id: $breaks', { timeout: patienceMs }, async (bug) => {
    const known = foundIn.get(bug.id)
    const first = known === undefined ? [] : [known]
    const search = { first, plansMax, ...(bug.profiles && { profiles: bug.profiles }) }
    const { invariant, plans } = await hunt.find(bug, search)
    expect(invariant, `${bug.id} survived ${plans} storms`).toBeDefined()
  })
})

describe('the list of planted bugs', () => {
  test('is long enough to say something, and has each once', () => {
    expect(plantedBugs.length).toBeGreaterThanOrEqual(20)
    expect(new Set(plantedBugs.map(({ id }) => id)).size).toBe(plantedBugs.length)
  })

  test('is looked for in shares, each bug in one of any eight commits', () => {
    const shares = [7, 8, 9, 10, 11, 12, 13, 14].map((number) => shareOf(plantedBugs, number, 8))
    expect(new Set(shares.flat()).size).toBe(plantedBugs.length)
    expect(shares.flat().length).toBe(plantedBugs.length)
  })

  test('has each in a place that is there once', () => {
    for (const bug of plantedBugs) {
      const text = readFileSync(join(sourceFolder, bug.file), 'utf8')
      expect(() => plant(bug, text), bug.id).not.toThrow()
    }
  })

  test('refuses a bug whose place is gone, or is there twice', () => {
    const bug = { id: 'x', file: 'x.ts', find: 'a', replace: 'b', breaks: '' }
    expect(plant(bug, 'cad')).toBe('cbd')
    expect(() => plant(bug, 'cd')).toThrow('0 places')
    expect(() => plant(bug, 'aa')).toThrow('2 places')
  })

  test('says where each was found, in a file that is written by a tool', () => {
    const ids = new Set(plantedBugs.map(({ id }) => id))
    expect([...foundIn.keys()].filter((id) => !ids.has(id))).toEqual([])
    const read = new Map(Object.entries(JSON.parse(writeFoundIn(foundIn))))
    expect(read).toEqual(foundIn)
  })
})
