/** Jobs that wait for their tick and rows that sleep, over broken networks. */
import { expect, test } from 'vitest'
import type { JobExecutor } from '../../src/sim/jobs/job.ts'
import { runJob } from '../../src/sim/jobs/job-runner.ts'
import { seedsFrom, storm } from '../../src/storm/index.ts'
import { mix, patient } from '../scenarios/patient-game.ts'

/** Some results come at once, some after a few looks, some never. */
const fickleThreads: JobExecutor = {
  begin(job, input) {
    // By the input alone: a storm is run a second time, and must run the same way.
    const number = input.reduce((sum, byte) => sum + byte, 0)
    let looks = 0
    return {
      output: number % 3 === 2 ? undefined : runJob(job, input),
      get isPending() {
        looks += 1
        return number % 3 !== 0 && looks <= number % 5
      },
    }
  },
}

test.each([
  ['in their ticks', undefined],
  ['by fickle threads', fickleThreads],
])(
  'a game of jobs and sleepers stays in step, with jobs computed %s',
  (_title, executor) => {
    mix.executor = executor
    try {
      const { failures } = storm({
        game: patient as never,
        seeds: seedsFrom(31),
        profiles: ['churn', 'stormy', 'relay-crash', 'slow', 'hidden'],
        plansMax: 5,
        plan: { durationMs: 15_000 },
      })
      expect(failures.map(({ plan: _, ...failure }) => failure)).toEqual([])
    } finally {
      mix.executor = undefined
    }
  },
  120_000,
)
