/** The program that is built with a planted bug: storms until something breaks, told as JSON. */
import type { Profile } from '../../src/storm/index.ts'
import { defaultProfiles, seedsFrom, storm } from '../../src/storm/index.ts'

const [plansMax, ...profiles] = process.argv.slice(2)

const result = storm({
  seeds: seedsFrom(1),
  profiles: profiles.length > 0 ? (profiles as Profile[]) : defaultProfiles,
  plansMax: Number(plansMax),
  plan: { durationMs: 20_000 },
})
const [failure] = result.failures
process.stdout.write(
  JSON.stringify({
    plans: result.plans,
    invariant: failure?.violation.invariant,
    message: failure?.violation.message,
    seed: failure?.plan.seed,
    profile: failure?.plan.profile,
  }),
)
