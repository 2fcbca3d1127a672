/** The program that is built with a planted bug: storms until something breaks, told as JSON. */
import { defaultProfiles, runBatch, seedsFrom } from '../../src/storm/index.ts'

const result = runBatch({
  seeds: seedsFrom(1),
  profiles: defaultProfiles,
  plansMax: Number(process.argv[2]),
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
