import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runJobsIn } from '../../src/driver/jobs/run-jobs-in.ts'
import { catchConsole } from '../../src/driver/testing/console-lines.ts'
import { emptyBundle } from '../../src/sim/game/run/bundle.ts'
import { createSimulation } from '../../src/sim/game/run/simulation.ts'
import { runJob } from '../../src/sim/jobs/job-runner.ts'
import { addUp, sums } from '../../src/sim/jobs/testing/sums.ts'
import { encodeRecord } from '../../src/sim/schema/index.ts'
import { Bundle } from './bundle.ts'

let bundle: Bundle

beforeAll(async () => {
  bundle = await Bundle.make()
})

afterAll(() => bundle.remove())

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a real thread computes jobs, and ends without a trace in the match', async () => {
  const worker = new Worker(join(bundle.folder, 'job-worker.mjs'))
  const stop = runJobsIn([worker], [addUp], { holdMsMax: Number.POSITIVE_INFINITY })
  const input = encodeRecord(addUp.inputCodec, { terms: [3, 4], isBad: false })
  const ticket = addUp.executor?.begin(addUp, input)
  while (ticket?.isPending) await turn()
  expect(ticket?.output).toEqual(runJob(addUp, input))

  const simulation = createSimulation(sums, { seed: 1 })
  const bytes = sums.orderCodec.encode('add', { terms: [5], isBad: false, ticks: 1 })
  simulation.step({ ...emptyBundle(1), orders: [{ seat: 0, bytes }] })
  while (!simulation.prepare()) await turn()
  simulation.step(emptyBundle(2))
  expect(simulation.state.all.done).toBe(1)

  const { warnings } = catchConsole()
  const lost = addUp.executor?.begin(addUp, input)
  await worker.terminate()
  while (lost?.isPending) await turn()
  stop()
  expect(addUp.executor).toBeUndefined()
  expect(warnings.join()).toMatch(/A thread for jobs is lost/)
}, 30_000)
