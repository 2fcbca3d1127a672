/** How much of a storm fits into a minute of one core: what a night of storms can find. */
import { planVersion } from '../../packages/samestep/src/storm/engine/plan.ts'
import type { StormNode, StormPlan } from '../../packages/samestep/src/storm/plan/storm-plan.ts'
import { StormRun } from '../../packages/samestep/src/storm/run-storm.ts'
import type { Figure, Suite } from '../types.ts'

/** Long enough that the compiler has settled and the start does not count. */
const durationMs = 300_000

/** A storm ends with quiet, in which it checks that everything has come right. */
const quietMs = 30_000

/** Others on the machine only ever make a run slower, so the best of a few is nearest to the truth. */
const runsCounted = 10

/** A usual evening: a fair line with some jitter and loss, an order every 400 ms from each player. */
function makePlan(seed: number, clients: number, kind: 'stream' | 'datagram'): StormPlan {
  const players = Array.from({ length: clients }, (_, index): StormNode => {
    const habits = { role: 'player', orderEveryMs: 400, inputEveryMs: 200 } as const
    return { name: `c${index}`, kind: 'client', clock: {}, ...habits }
  })
  const path = { latencyMs: 40, jitterMs: 5, loss: 0.02 }
  return {
    version: planVersion,
    seed,
    profile: 'sunny',
    durationMs,
    quietMs,
    knobs: {},
    nodes: [{ name: 'relay', kind: 'relay', clock: {} }, ...players],
    links: players.map(({ name }) => ({
      from: name,
      to: 'relay',
      points: [{ atMs: 0, conditions: { kind, there: path } }],
    })),
    faults: [],
    attackers: [],
    work: [],
  }
}

/** Simulated hours per minute of processor time, invariants checked after every event. */
function measureOnce(seed: number, clients: number, kind: 'stream' | 'datagram'): number {
  const run = new StormRun(makePlan(seed, clients, kind))
  const before = process.cpuUsage()
  run.run()
  const { user, system } = process.cpuUsage(before)
  return run.world.nowMs / 3_600_000 / ((user + system) / 60e6)
}

/** They take turns, so that a busy time of the machine is nobody's own. */
function makeFigures(): Figure[] {
  const best = [0, 0, 0]
  for (let seed = 0; seed <= runsCounted; seed++) {
    const speeds = [
      measureOnce(seed, 4, 'datagram'),
      measureOnce(seed, 4, 'stream'),
      measureOnce(seed, 8, 'datagram'),
    ]
    // The first run is for the compiler.
    if (seed > 0) for (const [at, speed] of speeds.entries()) best[at] = Math.max(best[at]!, speed)
  }
  const [datagrams = 0, streams = 0, eight = 0] = best
  const unit = 'simulated hours per CPU minute'
  return [
    { name: '4 clients, datagrams', value: datagrams, unit, atLeast: 5 },
    { name: '4 clients, streams', value: streams, unit },
    { name: '8 clients, datagrams', value: eight, unit },
  ]
}

/** A world that has run for a while, to be run on by a second per call. */
function secondsOf(kind: 'stream' | 'datagram'): () => number {
  const { world } = new StormRun(makePlan(1, 4, kind))
  let nowMs = 10_000
  world.runUntil(nowMs)
  return () => {
    nowMs += 1_000
    world.runUntil(nowMs)
    return world.events
  }
}

/** The speed of storms. */
export const suites: readonly Suite[] = [
  {
    name: 'storm-speed',
    work: 'one simulated second of a match of 4 clients, 30 ticks per second',
    baseline: 'datagrams',
    prepare: () => ({
      figures: makeFigures(),
      contenders: { datagrams: secondsOf('datagram'), streams: secondsOf('stream') },
    }),
  },
]
