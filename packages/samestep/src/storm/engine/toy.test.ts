/** A small world under all faults at once: what the engine promises to whoever builds on it. */
import { describe, expect, test } from 'vitest'
import { Prng } from '../../base/prng.ts'
import { conditionsAt, scheduleCurves } from './faults/curves.ts'
import { makeClockPlan, makeFaultOps } from './faults/fault-maker.ts'
import { Faults } from './faults/faults.ts'
import type { Conditions } from './network/conditions.ts'
import {
  type LinkCurve,
  makeEmptyPlan,
  type Plan,
  type Profile,
  readPlan,
  writePlan,
} from './plan.ts'
import { addCaller, type Caller, Echo } from './testing/toy.ts'
import { World } from './world.ts'

const durationMs = 60_000

/** Six callers, half of them on streams, and an echo. */
function makePlan(seed: number, profile: Profile): Plan {
  const prng = new Prng(seed, 'cfg')
  const nodes = ['echo', 'c0', 'c1', 'c2', 'c3', 'c4', 'c5'].map((name) => ({ name }))
  const links: LinkCurve[] = nodes.slice(1).map(({ name }, index) => {
    const kind = index % 2 === 0 ? 'stream' : 'datagram'
    const point = (atMs: number): { atMs: number; conditions: Conditions } => {
      const there = { latencyMs: 1 + prng.below(100), jitterMs: prng.below(20) }
      return { atMs, conditions: { kind, there, back: { latencyMs: 1 + prng.below(100) } } }
    }
    return { from: name, to: 'echo', points: [point(0), point(20_000), point(40_000)] }
  })
  const faults = makeFaultOps(new Prng(seed, 'fault'), profile, nodes, durationMs)
  return { ...makeEmptyPlan(seed, profile, durationMs), nodes, links, faults }
}

function runPlan(plan: Plan, traceLines = 0): { world: World; callers: Caller[]; echo: Echo } {
  const world = new World({ seed: plan.seed, traceLines })
  const clocks = world.random('clk')
  const echo = new Echo(world)
  const to = world.addNode('echo', echo, makeClockPlan(clocks, plan.profile))
  const callers = plan.nodes.slice(1).map(({ name }) => {
    const conditions = conditionsAt(plan.links, name, 'echo', 0)!
    const clock = makeClockPlan(clocks, plan.profile)
    return addCaller(world, name, { everyMs: 25, to, conditions, byteLength: 40 }, clock)
  })
  scheduleCurves(world, plan.links)
  const faults = new Faults(world)
  faults.schedule(plan.faults)
  world.runUntil(plan.durationMs)
  faults.healAll()
  world.runUntil(plan.durationMs + plan.quietMs)
  return { world, callers, echo }
}

describe('a toy world', () => {
  test('[I-22] a plan gives the same trace hash whenever it is run, also after a trip through JSON', () => {
    const hashes = new Set<string>()
    for (const profile of ['stormy', 'radioactive', 'swizzle'] as const) {
      for (let seed = 1; seed <= 2; seed++) {
        const plan = makePlan(seed, profile)
        const first = runPlan(plan).world
        const second = runPlan(readPlan(writePlan(plan))).world
        expect(second.traceHash()).toBe(first.traceHash())
        expect(second.events).toBe(first.events)
        hashes.add(first.traceHash())
      }
    }
    expect(hashes.size).toBe(6)
  })

  test('keeping the last lines changes nothing else', () => {
    const plan = makePlan(1, 'stormy')
    const kept = runPlan(plan, 50).world
    expect(kept.traceLines()).toHaveLength(50)
    expect(kept.traceHash()).toBe(runPlan(plan).world.traceHash())
  })

  test('one fault less gives another trace', () => {
    const plan = makePlan(1, 'radioactive')
    const index = plan.faults.findIndex(
      (op) => op.kind === 'path' && op.patch.latencyMs !== undefined,
    )
    const less = { ...plan, faults: plan.faults.toSpliced(index, 1) }
    expect(runPlan(less).world.traceHash()).not.toBe(runPlan(plan).world.traceHash())
  })

  test('on a stream nothing is doubled or out of sequence, over all reconnections', () => {
    for (let seed = 1; seed <= 3; seed++) {
      const { callers } = runPlan(makePlan(seed, 'radioactive'))
      for (const caller of callers.filter((_, index) => index % 2 === 0)) {
        let last = -1
        for (const { what, value } of caller.seen) {
          if (what !== 'packet') continue
          if (value <= last) expect.fail(`seed ${seed}: ${value} came after ${last}`)
          last = value
        }
        expect(last).toBeGreaterThan(100)
      }
    }
  })

  test('after healing every datagram call is answered again', () => {
    for (let seed = 1; seed <= 3; seed++) {
      const { callers, world } = runPlan(makePlan(seed, 'radioactive'))
      for (const caller of callers.filter((_, index) => index % 2 === 1)) {
        const heard = caller.seen.filter(({ what, atMs }) => what === 'packet' && atMs > 80_000)
        // 10 s at 40 packets per second, and nothing in the way but latency.
        expect(heard.length).toBeGreaterThan(390)
        expect(heard.length).toBeLessThan(410)
      }
      expect(world.stats.sent).toBeGreaterThan(10_000)
    }
  })

  test('sunny loses nothing at all', () => {
    const { world, callers, echo } = runPlan(makePlan(1, 'sunny'))
    const { sent, delivered, ...rest } = world.stats
    expect(Object.values(rest)).toEqual([0, 0, 0, 0, 0, 0, 0])
    const inFlight = sent - delivered
    expect(inFlight).toBeLessThan(80)
    expect(echo.values.length).toBeGreaterThan(20_000)
    for (const caller of callers) expect(caller.sent - caller.values.length).toBeLessThan(20)
  })

  test('leaves no event behind when everybody is gone', () => {
    const { world } = runPlan(makePlan(2, 'radioactive'))
    for (let id = 0; id < 7; id++) world.removeNode(id)
    world.runUntil(10_000_000)
    expect(world.pendingEvents).toBe(0)
    expect(world.slotsInUse).toBe(14)
  })
})
