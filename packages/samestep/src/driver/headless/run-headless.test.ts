import { describe, expect, test } from 'vitest'
import { addUp, sums } from '../../sim/jobs/testing/sums.ts'
import { runJobsIn } from '../jobs/run-jobs-in.ts'
import { serveJobs } from '../jobs/serve-jobs.ts'
import { playLocal } from '../local/play-local.ts'
import { ledger } from '../testing/driver-world.ts'
import { FakeThreads } from '../testing/fake-threads.ts'
import type { AnyLedgerMatch } from '../testing/match-stages.ts'
import { matchStages } from '../testing/match-stages.ts'
import { WorkerWorld } from '../testing/worker-world.ts'
import { runHeadless } from './run-headless.ts'

/** Lets virtual time pass until something is done; gives how much that was. */
async function timeOf(world: WorkerWorld, doing: Promise<unknown>): Promise<number> {
  const startedMs = world.timing.nowMs()
  let isDone = false
  doing.finally(() => {
    isDone = true
  })
  for (let ms = 0; ms < 60_000 && !isDone; ms++) await world.timing.pass(1)
  await doing
  return world.timing.nowMs() - startedMs
}

function local(world: WorkerWorld, seed = 1) {
  return playLocal(ledger, { timing: world.timing, seed, guard: false })
}

describe.each(Object.entries(matchStages))('%s', (_name, makeStage) => {
  test('is paced as for players, and each tick is told of', async () => {
    const stage = makeStage()
    const match = await stage.join()
    const { timing } = stage.world
    const ticks: number[] = []
    const from = match.simulation.tick
    const running = runHeadless(match, {
      timing,
      untilTick: from + 40,
      onTick: ({ tick }) => ticks.push(tick),
    })
    const tookMs = await timeOf(stage.world, running)
    expect(await running).toEqual({ reason: 'tick', tick: ticks.at(-1) })
    // Twenty ticks per second, give and take what a buffer holds.
    expect(Math.abs(tookMs - 2_000)).toBeLessThan(400)
    expect(ticks.length).toBeGreaterThan(35)
    expect(match.status).toBe('active')
  })

  test('ends with the match, or when its signal says so', async () => {
    const stage = makeStage()
    const match = await stage.join()
    const { timing } = stage.world
    const abort = new AbortController()
    const running = runHeadless(match, { timing, signal: abort.signal })
    await stage.world.timing.pass(500)
    abort.abort()
    expect(await running).toMatchObject({ reason: 'aborted', tick: expect.any(Number) })
    const again = runHeadless(match, { timing })
    await stage.world.timing.pass(300)
    match.close()
    await stage.world.timing.pass(300)
    expect((await again).reason).toBe('closed')
  })

  test('waits through a lobby', async () => {
    const stage = makeStage()
    const lobby = { start: 'by-owner', countdownMs: 200 } as const
    const match: AnyLedgerMatch = await stage.join({ seats: 1, lobby })
    const { timing } = stage.world
    const running = runHeadless(match, { timing, untilTick: 10 })
    await timing.pass(1_000)
    match.act({ type: 'start' })
    await timeOf(stage.world, running)
    expect((await running).reason).toBe('tick')
    expect(match.simulation.tick).toBeGreaterThanOrEqual(10)
  })
})

describe('as fast as possible', () => {
  const fast = ({ timing }: WorkerWorld) => ({ timing, mode: 'as-fast-as-possible' }) as const

  test('ten minutes take no time but the machine’s, to the very tick', async () => {
    const world = new WorkerWorld()
    const match = local(world)
    let count = 0
    const running = runHeadless(match, {
      ...fast(world),
      untilTick: 12_000,
      onTick: () => {
        count += 1
      },
    })
    expect(await timeOf(world, running)).toBeLessThan(1_000)
    expect([match.simulation.tick, count]).toEqual([12_000, 12_000])
  })

  test('it computes what a paced run does', async () => {
    const hashes = []
    for (const mode of ['paced', 'as-fast-as-possible'] as const) {
      const world = new WorkerWorld()
      const match = local(world, 3)
      const running = runHeadless(match, {
        timing: world.timing,
        mode,
        untilTick: 100,
        onTick: ({ tick }) => {
          if (tick % 10 === 0) match.order('mark', { number: tick / 10 - 1 })
        },
      })
      await timeOf(world, running)
      expect(match.simulation.view.seats.due[0]).toBe(9)
      hashes.push(match.simulation.syncHashAt(100))
    }
    expect(hashes[0]).toBe(hashes[1])
  })

  test('at half the speed it is as fast', async () => {
    const world = new WorkerWorld()
    const match = local(world)
    match.act({ type: 'set-speed', percent: 50 })
    const running = runHeadless(match, { ...fast(world), untilTick: 2_000 })
    expect(await timeOf(world, running)).toBeLessThan(500)
  })

  test('it lets other threads have their turn when a tick waits for them', async () => {
    const world = new WorkerWorld()
    const thread = new FakeThreads()
    const stop = runJobsIn([thread.worker], [addUp], { timing: world.timing })
    serveJobs([addUp], { port: thread.scope })
    const match = playLocal(sums, { timing: world.timing, guard: false })
    const running = runHeadless(match, {
      ...fast(world),
      untilTick: 200,
      onTick: ({ tick }) => {
        if (tick === 5) match.order('add', { terms: [1], isBad: false, ticks: 3 })
      },
    })
    await timeOf(world, running)
    stop()
    expect(match.simulation.view.all.done).toBe(1)
    expect(thread.worker.received).toHaveLength(1)
  })

  test('a relay sets the pace of its matches all the same', async () => {
    const stage = matchStages.joinMatch?.()
    const match = await stage!.join()
    const running = runHeadless(match, { ...fast(stage!.world), untilTick: 40 })
    expect(await timeOf(stage!.world, running)).toBeGreaterThan(1_500)
  })

  test('what onTick throws ends the run, and nothing else', async () => {
    const world = new WorkerWorld()
    const match = local(world)
    const running = runHeadless(match, {
      ...fast(world),
      onTick: ({ tick }) => {
        if (tick === 3) throw new Error('of a bot')
      },
    })
    await expect(running).rejects.toThrow('of a bot')
    expect([match.status, match.simulation.tick]).toEqual(['active', 3])
  })

  test('it does not keep the thread: others have their turn every few milliseconds', async () => {
    let nowMs = 0
    let sleeps = 0
    const timing = {
      // Each look at the clock takes half a millisecond.
      nowMs: () => (nowMs += 0.5),
      schedule: (callback: () => void) => {
        sleeps += 1
        setImmediate(callback)
        return () => {}
      },
    }
    const match = playLocal(ledger, { guard: false })
    await runHeadless(match, { timing, mode: 'as-fast-as-possible', untilTick: 400 })
    expect(sleeps).toBeGreaterThan(10)
    match.close()
  })
})
