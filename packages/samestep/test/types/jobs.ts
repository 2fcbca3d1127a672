/** Type tests of jobs and sleep lists: compiled, never run. */

import {
  defineJob,
  jobQueue,
  jobRunner,
  runJobsIn,
  serveJobs,
} from '../../src/driver/jobs/index.ts'
import { bool, defineGame, fixed, list, sleepList, table, u8, u16, u32 } from '../../src/index.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function same<_T extends true>(): void {}

const search = defineJob({
  name: 'search',
  dueTicks: 10,
  input: { from: u16, walls: list(bool, 64) },
  output: { steps: list(u16, 64), cost: fixed },
  run(input) {
    same<Equal<typeof input, { from: number; walls: boolean[] }>>()
    return { steps: [input.from], cost: 1 }
  },
})

// @ts-expect-error a result of another form
defineJob({ name: 'x', dueTicks: 1, input: {}, output: { n: u8 }, run: () => ({ m: 1 }) })

export const game = defineGame({
  id: 'jobs',
  version: 1,
  seats: { min: 1, max: 1 },
  state: { paths: jobQueue(search), trees: table(10, { wakeAt: u32 }) },
  derived: { paths: jobRunner('paths', search), asleep: sleepList('trees', 'wakeAt') },
  step({ derived, tick }) {
    same<Equal<ReturnType<typeof derived.paths.start>, boolean>>()
    derived.paths.start(tick, { from: 1, walls: [] })
    // @ts-expect-error no such input
    derived.paths.start(tick, { to: 1, walls: [] })
    derived.paths.finish(tick, (output, input) => {
      same<Equal<typeof output, { steps: number[]; cost: number }>>()
      same<Equal<typeof input.from, number>>()
    })
    derived.asleep.wake(tick, (row) => derived.asleep.sleep(row, tick + 1))
  },
})

declare const worker: Worker
runJobsIn([worker], [search])()
serveJobs([search])()
