/**
 * `npm run planted [-- ids…]`: looks for every planted bug, or for those that are named, in all plans
 * from the first on, and writes down which plan shows it, for `npm test` to begin with. Without names
 * it also runs all plans where no bug is planted.
 *
 * Run it when a bug is new, or when `npm test` has become slow: plans move with the code.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { plantedBugs } from '../packages/samestep/test/planted/bugs/all-bugs.ts'
import type { PlantedBug } from '../packages/samestep/test/planted/bugs/planted-bug.ts'
import type { KnownPlan } from '../packages/samestep/test/planted/find-bug.ts'
import {
  createBugHunt,
  foundInPath,
  plansMax,
  readFoundIn,
  writeFoundIn,
} from '../packages/samestep/test/planted/find-bug.ts'
import { refuse } from './programs.ts'

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' } },
})
if (values.help === true) {
  console.log(`Looks for planted bugs in plans of storms, and notes which plan shows each.

Usage     npm run planted [-- ids…]
Example   npm run planted -- inputs-not-restored
Ids       ${plantedBugs.map(({ id }) => id).join(', ')}`)
  process.exit(0)
}
const chosen = plantedBugs.filter(({ id }) => names.length === 0 || names.includes(id))
const stray = names.find((name) => !plantedBugs.some(({ id }) => id === name))
if (stray !== undefined) refuse(`No planted bug is called '${stray}'`)

const hunt = await createBugHunt()
const found = new Map<string, KnownPlan>()
for (const [id, plan] of readFoundIn()) {
  // What is gone from the list, or is looked for anew, is not kept.
  if (plantedBugs.some((bug) => bug.id === id) && !chosen.some((bug) => bug.id === id)) {
    found.set(id, plan)
  }
}
const survived: string[] = []
await Promise.all([...(names.length === 0 ? [runClean()] : []), ...chosen.map(look)])
await hunt.close()
writeFileSync(foundInPath, writeFoundIn(found))
if (survived.length > 0) refuse(`Not as it should be: ${survived.join(', ')}`)

async function look(bug: PlantedBug): Promise<void> {
  const { profiles } = bug
  const search = { first: [], plansMax, ...(profiles === undefined ? {} : { profiles }) }
  const { plans, invariant, seed, profile } = await hunt.find(bug, search)
  if (seed === undefined || profile === undefined) survived.push(bug.id)
  else found.set(bug.id, { profile, seed })
  const what = invariant === undefined ? 'SURVIVED' : `${invariant} by ${profile} ${seed},`
  process.stdout.write(`${bug.id}: ${what} after ${plans} plans\n`)
}

async function runClean(): Promise<void> {
  const { plans, message } = await hunt.find(undefined, { first: [], plansMax })
  if (message !== undefined) survived.push(`no bug, and yet: ${message}`)
  process.stdout.write(`without a bug: ${plans} plans, ${message ?? 'nothing found'}\n`)
}
