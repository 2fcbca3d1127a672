/** The program that is built with a planted bug: storms until something breaks, told as JSON. */
import type { BatchFailure } from '../../src/storm/index.ts'
import {
  defaultProfiles,
  makeStormPlan,
  runStormPlan,
  seedsFrom,
  storm,
} from '../../src/storm/index.ts'
import type { Search } from './find-bug.ts'

const plan = { durationMs: 20_000 } as const

const { first, profiles, plansMax } = JSON.parse(process.argv[2] ?? '{}') as Search
let plans = 0
const failure = runFirst() ?? runAll()
process.stdout.write(
  JSON.stringify({
    plans,
    invariant: failure?.violation.invariant,
    message: failure?.violation.message,
    seed: failure?.plan.seed,
    profile: failure?.plan.profile,
  }),
)

/** The plans that are known to show something. */
function runFirst(): BatchFailure | undefined {
  for (const { seed, profile } of first) {
    const known = makeStormPlan(seed, profile, plan)
    const { violation } = runStormPlan(known)
    plans += 1
    if (violation !== undefined) return { plan: known, violation }
  }
  return undefined
}

function runAll(): BatchFailure | undefined {
  if (plansMax === 0) return undefined
  const result = storm({
    seeds: seedsFrom(1),
    profiles: profiles ?? defaultProfiles,
    plansMax,
    plan,
  })
  plans += result.plans
  return result.failures[0]
}
