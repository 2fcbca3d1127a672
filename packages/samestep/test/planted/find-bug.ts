/**
 * Storms that look for a planted bug. Most of the time of a search goes into plans that do not show
 * it. So what a search found is written down in `found-in.json`, and the next one begins with that
 * plan. Where the code has moved on and the plan no longer shows the bug, all plans are searched.
 *
 *     npm test               the plan that is written down, otherwise all plans
 *     npm run planted        all plans, and writes down what was found
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Profile } from '../../src/storm/index.ts'
import type { PlantedBug } from './bugs/planted-bug.ts'
import { createStormBuilder } from './build-bug.ts'

/** Storms that each bug has to show itself in. Most are found in the first ten. */
export const plansMax = 80

/** What makes a plan, beside the length that all of them have. */
export interface KnownPlan {
  readonly profile: Profile
  readonly seed: number
}

/** What a storm program is to run: known plans, then up to `plansMax` others. */
export interface Search {
  readonly first: readonly KnownPlan[]
  readonly profiles?: readonly Profile[]
  readonly plansMax: number
}

/** What became of a search. */
export interface Found extends Partial<KnownPlan> {
  /** The plans that were run. */
  readonly plans: number
  readonly invariant?: string
  readonly message?: string
}

/** Where `npm run planted` writes down which plan shows which bug. */
export const foundInPath = join(import.meta.dirname, 'found-in.json')

/** The plan that showed each bug last, by the bug's id. */
export function readFoundIn(): ReadonlyMap<string, KnownPlan> {
  const found: { readonly [id: string]: KnownPlan } = JSON.parse(readFileSync(foundInPath, 'utf8'))
  return new Map(Object.entries(found))
}

/** The text of `found-in.json`: a line per bug, so that two changes seldom meet. */
export function writeFoundIn(found: ReadonlyMap<string, KnownPlan>): string {
  const lines = [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { profile, seed }]) => {
      return `  ${JSON.stringify(id)}: { "profile": ${JSON.stringify(profile)}, "seed": ${seed} }`
    })
  return `{\n${lines.join(',\n')}\n}\n`
}

/** Plans of which each is there once. */
export function distinctPlans(plans: Iterable<KnownPlan>): KnownPlan[] {
  const distinct = new Map<string, KnownPlan>()
  for (const plan of plans) distinct.set(`${plan.profile} ${plan.seed}`, plan)
  return [...distinct.values()]
}

/** Looks for planted bugs, as many at once as there are processors. */
export interface BugHunt {
  find(bug: PlantedBug | undefined, search: Search): Promise<Found>
  close(): Promise<void>
}

/** Starts a hunt, with a folder for the programs that it builds. */
export async function createBugHunt(): Promise<BugHunt> {
  const folder = mkdtempSync(join(tmpdir(), 'samestep-planted-'))
  const builder = await createStormBuilder()
  const run = promisify(execFile)
  // Two at least: the longest search is then not the last.
  let free = Math.max(availableParallelism(), 2)
  const queue: (() => void)[] = []
  return {
    async find(bug, search) {
      if (free > 0) free--
      else await new Promise<void>((resolve) => queue.push(resolve))
      try {
        const program = join(folder, `${bug?.id ?? 'clean'}.mjs`)
        await builder.build(bug, program)
        const { stdout } = await run(process.execPath, [program, JSON.stringify(search)])
        return JSON.parse(stdout)
      } finally {
        const next = queue.shift()
        if (next === undefined) free++
        else next()
      }
    },
    async close() {
      await builder.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
