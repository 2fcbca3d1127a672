/** Jobs in other threads, in every kind of match: only time may tell the difference. */
import { afterEach, describe, expect, test } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import { defineJob } from '../../sim/jobs/job.ts'
import { addUp, sums } from '../../sim/jobs/testing/sums.ts'
import { encodeRecord } from '../../sim/schema/index.ts'
import { playLocal } from '../local/play-local.ts'
import { joinOnline } from '../online/join-online.ts'
import { catchConsole } from '../testing/console-lines.ts'
import { FakeThreads } from '../testing/fake-threads.ts'
import { WorkerWorld } from '../testing/worker-world.ts'
import { joinOverChannel } from '../worker/join-match-in-worker.ts'
import { serveMatch } from '../worker/serve-match.ts'
import type { RunJobsOptions } from './run-jobs-in.ts'
import { runJobsIn } from './run-jobs-in.ts'
import { serveJobs } from './serve-jobs.ts'

const online = { url: 'ws://relay.test', match: 'friday', seats: 1 }

/** With the guard where it is the game's own thread: starting a job must not trip it. */
const kinds = {
  playLocal: async ({ timing }: WorkerWorld) => playLocal(sums, { timing }),
  joinMatch: (world: WorkerWorld) =>
    world.finish(joinOnline(sums, { ...online, timing: world.timing, dial: world.dial })),
  joinMatchInWorker: (world: WorkerWorld) => {
    const { timing, dial, threads } = world
    serveMatch(sums, { timing, dial, port: threads.scope })
    const options = { ...online, timing, worker: threads.worker }
    return world.finish(joinOverChannel(sums, options, threads.openChannel))
  },
}

afterEach(() => {
  addUp.executor = undefined
})

function openThread(world: WorkerWorld, options: RunJobsOptions = {}) {
  const thread = new FakeThreads()
  const stop = runJobsIn([thread.worker], [addUp], { timing: world.timing, ...options })
  return { thread, stop }
}

describe.each(Object.entries(kinds))('%s', (_name, join) => {
  async function play() {
    const world = new WorkerWorld()
    const match = await join(world)
    const pass = async (ms: number) => {
      const { timing } = world
      for (const endMs = timing.nowMs() + ms; timing.nowMs() < endMs; ) {
        await timing.pass(10)
        match.advance(timing.nowMs())
      }
    }
    /** Issues a job, and gives the tick at which its result is due. */
    const begin = async (ticks: number) => {
      const { settled } = match.order('add', { terms: [1, 2, 3], isBad: false, ticks })
      let end: Awaited<typeof settled> | undefined
      settled.then((ended) => {
        end = ended
      })
      while (end === undefined) await pass(10)
      return end.result === 'executed' ? end.tick + ticks : 0
    }
    await pass(300)
    return { world, match, pass, begin, all: () => match.simulation.view.all }
  }

  test('a thread computes it, and its result comes at its tick', async () => {
    const { world, begin, pass, all } = await play()
    const { thread } = openThread(world)
    serveJobs([addUp], { port: thread.scope })
    const due = await begin(10)
    await pass(2_000)
    expect(thread.worker.received).toHaveLength(1)
    expect([all().done, all().lastTick]).toEqual([1, due])
  })

  test('its tick waits for a thread that is late, and the match goes on from there', async () => {
    const { world, match, begin, pass, all } = await play()
    const { thread } = openThread(world)
    serveJobs([addUp], { port: thread.scope })
    thread.scope.setHanging(true)
    const due = await begin(10)
    await pass(2_000)
    expect([match.simulation.tick, all().done]).toEqual([due - 1, 0])
    thread.scope.setHanging(false)
    await pass(3_000)
    expect([all().done, all().lastTick]).toEqual([1, due])
    expect(match.simulation.tick).toBeGreaterThan(due + 20)
    expect(match.status).toBe('active')
  })

  type Opened = ReturnType<typeof openThread>
  const nothing = () => {}
  const hang = ({ thread }: Opened) => thread.scope.setHanging(true)
  test.each<{
    title: string
    before: (opened: Opened) => void
    after: (opened: Opened) => void
    warning: RegExp
  }>([
    { title: 'hangs for too long', before: hang, after: nothing, warning: /^$/ },
    {
      title: 'has died',
      before: hang,
      after: ({ thread }) => thread.worker.emit('error', { message: 'boom' }),
      warning: /is lost: boom/,
    },
    { title: 'is asked no more', before: hang, after: ({ stop }) => stop(), warning: /^$/ },
    {
      title: 'has another version of the job',
      before: ({ thread }) => {
        const { name, dueTicks } = addUp
        const other = defineJob({
          name,
          version: 2,
          dueTicks,
          input: {},
          output: {},
          run: () => ({}),
        })
        serveJobs([other], { port: thread.scope })
      },
      after: nothing,
      warning: /no such job, or another version/,
    },
  ])('the tick computes it itself where the thread $title', async ({ before, after, warning }) => {
    const { warnings } = catchConsole()
    const { world, begin, pass, all } = await play()
    const opened = openThread(world, { holdMsMax: 500 })
    before(opened)
    const due = await begin(10)
    after(opened)
    await pass(3_000)
    expect([all().done, all().lastTick]).toEqual([1, due])
    expect(warnings.filter((line) => line.includes('thread')).join()).toMatch(warning)
  })
})

test('jobs are shared among threads, and messages of others are left alone', () => {
  const threads = [new FakeThreads(), new FakeThreads()]
  runJobsIn(
    threads.map(({ worker }) => worker),
    [addUp],
  )
  for (let count = 0; count < 6; count++) addUp.executor?.begin(addUp, new Uint8Array(1))
  threads[0]?.worker.emit('message', { data: { samestep: 'other' } })
  threads[0]?.worker.emit('message', { data: undefined })
  const heard = threads.map(({ scope }) => {
    const port = scope
    let count = 0
    port.addEventListener('message', () => {
      count += 1
    })
    port.start()
    return () => count
  })
  return Promise.resolve().then(() => {
    expect(heard.map((count) => count())).toEqual([3, 3])
  })
})

test('a thread that cannot compute a job says why', async () => {
  const thread = new FakeThreads()
  serveJobs([addUp], { port: thread.scope })
  thread.scope.emit('message', { data: { samestep: 'job', id: 1, signature: '', input: 3 } })
  runJobsIn([thread.worker], [addUp])
  const { warnings } = catchConsole()
  const input = addUp.inputCodec.makeDefault()
  const ticket = addUp.executor?.begin(
    addUp,
    encodeRecord(addUp.inputCodec, { ...input, isBad: true }),
  )
  await new Promise((resolve) => setImmediate(resolve))
  expect([ticket?.isPending, ticket?.output]).toEqual([false, undefined])
  expect(warnings.join()).toMatch(/could not compute a job: Error: bad terms/)
})

test('without a thread, and outside of one, that is told', () => {
  expect(() => runJobsIn([], [addUp])).toThrow(UsageError)
  expect(() => serveJobs([addUp])).toThrow(/Cannot serve jobs here/)
})
