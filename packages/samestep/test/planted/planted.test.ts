import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plantedBugs } from './bugs/all-bugs.ts'
import type { PlantedBug } from './bugs/planted-bug.ts'
import { buildStorm, plant } from './build-bug.ts'

/** Storms that each bug has to show itself in. Most are found in the first ten. */
const plansMax = 80

/** A storm takes seconds; the longest queue for a processor takes minutes. */
const patienceMs = 600_000

type Found = { readonly plans: number; readonly invariant?: string; readonly message?: string }

const run = promisify(execFile)
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-planted-'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Storms run on all processors, but on two at least: the longest is then not the last. */
let free = Math.max(availableParallelism(), 2)
const queue: (() => void)[] = []

async function storm(bug: PlantedBug | undefined): Promise<Found> {
  if (free > 0) free--
  else await new Promise<void>((resolve) => queue.push(resolve))
  try {
    const program = join(folder, `${bug?.id ?? 'clean'}.mjs`)
    await buildStorm(bug, program)
    const { stdout } = await run(process.execPath, [
      program,
      String(plansMax),
      ...(bug?.profiles ?? []),
    ])
    return JSON.parse(stdout)
  } finally {
    const next = queue.shift()
    if (next === undefined) free++
    else next()
  }
}

/** One alone: `npx vitest run packages/samestep/test/planted -t ack-off-by-one`. */
describe.concurrent('storms', () => {
  test('find nothing where no bug is planted', { timeout: patienceMs }, async () => {
    const clean = await storm(undefined)
    expect(clean.message).toBeUndefined()
    expect(clean.plans).toBe(plansMax)
  })

  test.each(plantedBugs)('find $id: $breaks', { timeout: patienceMs }, async (bug) => {
    const { invariant, plans } = await storm(bug)
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
})
