import { describe, expect, test } from 'vitest'
import { planVersion } from '../src/storm/engine/plan.ts'
import type { StormNode, StormPlan } from '../src/storm/plan/storm-plan.ts'
import { StormRun } from '../src/storm/run-storm.ts'
import { measureClassic } from './latency/classic.ts'
import { floorOf, type Latency, type Line, measure } from './latency/measure.ts'
import { everybody, fibre, lossy, mixed, ocean, seven } from './latency/scenes.ts'

// Virtual time: the same figures on every machine. `docs/latency.md` shows them all.
const seconds = 60
const seed = 1

function measureOn(line: Line): Latency {
  return measure({ lines: everybody(line), kind: 'datagram', seconds, seed })
}

test('across an ocean an order takes 1.2 times the floor, 99 of 100 take 1.3 times', () => {
  const { p50, p99, orders } = measureOn(ocean)
  const floor = floorOf(ocean)
  expect(orders).toBeGreaterThan(2_000)
  expect(p50 / floor.p50).toBeLessThanOrEqual(1.2)
  expect(p99 / floor.p99).toBeLessThanOrEqual(1.3)
  // Nothing is quicker than light.
  expect(p50).toBeGreaterThan(floor.p50)
})

test('with one packet in twenty lost, 99 of 100 orders take 2.6 times the floor, 1 % of ticks is late', () => {
  const { p99, steadyP99, late } = measureOn(lossy)
  const floor = floorOf(lossy)
  expect(p99 / floor.p99).toBeLessThanOrEqual(2.2)
  expect(steadyP99 / floor.p99).toBeLessThanOrEqual(2.6)
  expect(late).toBeLessThan(0.01)
})

describe('one player on a bad line', () => {
  test('costs the others nothing', () => {
    const over = (lines: Parameters<typeof measure>[0]['lines']) => {
      const runs = [1, 2, 3].map((own) =>
        measure({ lines, kind: 'datagram', seconds, seed: seed + own }, seven),
      )
      const mean = (of: (run: (typeof runs)[number]) => number) =>
        runs.reduce((sum, run) => sum + of(run), 0) / runs.length
      return {
        p50: mean((run) => run.p50),
        p99: mean((run) => run.p99),
        late: mean((run) => run.late),
      }
    }
    const without = over(everybody(fibre))
    const beside = over(mixed)
    // The match begins at another moment, so the draws differ: over three runs 3 % is noise.
    expect(Math.abs(beside.p50 / without.p50 - 1)).toBeLessThan(0.03)
    expect(Math.abs(beside.p99 / without.p99 - 1)).toBeLessThan(0.03)
    expect(Math.abs(beside.late - without.late)).toBeLessThan(0.005)
  })

  test('stalls everybody in classic lockstep', () => {
    const without = measureClassic({ lines: everybody(fibre), delay: 3, seconds, seed }, seven)
    const beside = measureClassic({ lines: mixed, delay: 3, seconds, seed }, seven)
    expect(without.late).toBeLessThan(0.05)
    expect(beside.late).toBeGreaterThan(0.25)
  })
})

/** A third of all packets is lost, and every now and then all of them for five seconds. */
function makeTorrent(): StormPlan {
  const players = Array.from({ length: 8 }, (_, index): StormNode => {
    const habits = { role: 'player', orderEveryMs: 300, inputEveryMs: 300 } as const
    return { name: `c${index}`, kind: 'client', clock: {}, ...habits }
  })
  const conditionsWith = (loss: number) => {
    return { kind: 'datagram', there: { latencyMs: 40, jitterMs: 10, loss } } as const
  }
  return {
    version: planVersion,
    seed,
    profile: 'sunny',
    durationMs: 60_000,
    quietMs: 30_000,
    knobs: {},
    nodes: [{ name: 'relay', kind: 'relay', clock: {} }, ...players],
    links: players.map(({ name }, index) => ({
      from: name,
      to: 'relay',
      points: [
        { atMs: 0, conditions: conditionsWith(0.3) },
        { atMs: 10_000 + 2_000 * index, conditions: conditionsWith(1) },
        { atMs: 15_000 + 2_000 * index, conditions: conditionsWith(0.3) },
        { atMs: 40_000, conditions: conditionsWith(1) },
        { atMs: 45_000, conditions: conditionsWith(0.3) },
        { atMs: 60_000, conditions: conditionsWith(0) },
      ],
    })),
    faults: [],
    attackers: [],
    work: [],
  }
}

test('with 30 % loss and bursts of 5 s no order is lost, doubled or out of sequence', () => {
  const run = new StormRun(makeTorrent())
  const settled = new Map<string, number>()
  const { oracle } = run
  const { noteSettled } = oracle
  oracle.noteSettled = (client, number, end) => {
    const key = `${client.name}#${number}`
    settled.set(key, (settled.get(key) ?? 0) + 1)
    expect(end.result).not.toBe('lost')
    noteSettled.call(oracle, client, number, end)
  }
  // The oracle throws at the first order that is not the next one of its issuer.
  run.run()
  const issued = oracle.clients.flatMap(({ name, issued: all }) => {
    return all.map(({ number }) => `${name}#${number}`)
  })
  expect(issued.length).toBeGreaterThan(1_000)
  expect(run.world.stats.lost / run.world.stats.sent).toBeGreaterThan(0.25)
  expect([...settled.keys()].sort()).toEqual(issued.sort())
  expect(new Set(settled.values())).toEqual(new Set([1]))
})
