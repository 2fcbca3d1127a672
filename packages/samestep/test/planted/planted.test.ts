import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plantedBugs } from './bugs/all-bugs.ts'
import { plant } from './build-bug.ts'
import type { BugHunt } from './find-bug.ts'
import { createBugHunt, distinctPlans, plansMax, readFoundIn, writeFoundIn } from './find-bug.ts'

/** A storm takes seconds; the longest queue for a processor takes minutes. */
const patienceMs = 600_000

const foundIn = readFoundIn()
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
    const first = distinctPlans(foundIn.values())
    const clean = await hunt.find(undefined, { first, plansMax: 0 })
    expect(clean.message).toBeUndefined()
    expect(clean.plans).toBe(first.length)
  })

  test.each(plantedBugs)('find $id: $breaks', { timeout: patienceMs }, async (bug) => {
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
