import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlantedBug } from './bugs.ts'
import { plantedBugs } from './bugs.ts'
import { buildStorm, plant } from './build-bug.ts'

/** Storms that each bug has to show itself in. Most are found in the first ten. */
const plansMax = 80

type Found = {
  readonly bug: PlantedBug | undefined
  readonly plans: number
  readonly invariant?: string
  readonly message?: string
}

const run = promisify(execFile)
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-planted-'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function storm(bug: PlantedBug | undefined): Promise<Found> {
  const program = join(folder, `${bug?.id ?? 'clean'}.mjs`)
  await buildStorm(bug, program)
  const { stdout } = await run(process.execPath, [program, String(plansMax)])
  return { bug, ...JSON.parse(stdout) }
}

/** Storms on all processors, but on two at least: the longest run is then not the last. */
async function stormAll(bugs: readonly (PlantedBug | undefined)[]): Promise<Found[]> {
  const found: Found[] = []
  const queue = [...bugs]
  const work = async (): Promise<void> => {
    for (let index = queue.length; index > 0; index = queue.length)
      found.push(await storm(queue.shift()))
  }
  await Promise.all(Array.from({ length: Math.max(availableParallelism(), 2) }, work))
  return found
}

test('storms find every planted bug, and nothing where there is none', async () => {
  const found = await stormAll([undefined, ...plantedBugs])
  const clean = found.find(({ bug }) => bug === undefined)
  expect(clean?.message).toBeUndefined()
  expect(clean?.plans).toBe(plansMax)
  const survivors = found.filter(({ bug, invariant }) => bug && invariant === undefined)
  expect(survivors.map(({ bug }) => bug?.id)).toEqual([])
}, 600_000)

describe('the list of planted bugs', () => {
  test('is long enough to say something', () => {
    expect(plantedBugs.length).toBeGreaterThanOrEqual(20)
    expect(new Set(plantedBugs.map(({ id }) => id)).size).toBe(plantedBugs.length)
  })

  test('is in docs/storm.md, as it is here', () => {
    const docs = readFileSync(join(import.meta.dirname, '../../../../docs/storm.md'), 'utf8')
    const rows = plantedBugs.map(({ id, file, breaks }) => `| ${id} | ${file} | ${breaks} |`)
    expect(
      docs.split('\n').filter((line) => /^\| [a-z-]+ \| [a-z]+\/\S+\.ts \|/.test(line)),
    ).toEqual(rows)
  })

  test('refuses a bug whose place is gone, or is there twice', () => {
    const bug = { id: 'x', file: 'x.ts', find: 'a', replace: 'b', breaks: '' }
    expect(plant(bug, 'cad')).toBe('cbd')
    expect(() => plant(bug, 'cd')).toThrow('0 places')
    expect(() => plant(bug, 'aa')).toThrow('2 places')
  })
})
