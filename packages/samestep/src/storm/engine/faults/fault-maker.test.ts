import { describe, expect, test } from 'vitest'
import { Prng } from '../../../base/prng.ts'
import { type Profile, profiles } from '../plan.ts'
import { faultIds, makeClockPlan, makeCounterStart, makeFaultOps } from './fault-maker.ts'
import type { FaultOp } from './fault-op.ts'

const targets = ['relay', 'c1', 'c2', 'c3'].map((name) => ({ name }))
const durationMs = 120_000

function opsOf(seed: number, profile: Profile): FaultOp[] {
  return makeFaultOps(new Prng(seed, 'fault'), profile, targets, durationMs)
}

/** Many plans of one profile. */
function batchOf(profile: Profile, count = 200): FaultOp[][] {
  return Array.from({ length: count }, (_, seed) => opsOf(seed, profile))
}

describe('makeFaultOps', () => {
  test.each(profiles)(
    '%s: every op lies within the plan, sorted by time, whole in its figures',
    (profile) => {
      for (const ops of batchOf(profile)) {
        let lastMs = 0
        for (const op of ops) {
          const isWithin = op.atMs >= lastMs && op.atMs + op.durationMs <= durationMs
          if (!isWithin || op.durationMs < 0 || !Number.isInteger(op.atMs + op.durationMs)) {
            expect.fail(JSON.stringify(op))
          }
          lastMs = op.atMs
        }
      }
    },
  )

  test('sunny is sunny, and equal seeds give equal weather', () => {
    expect(batchOf('sunny').flat()).toEqual([])
    expect(opsOf(3, 'radioactive')).toEqual(opsOf(3, 'radioactive'))
    expect(opsOf(3, 'radioactive')).not.toEqual(opsOf(4, 'radioactive'))
  })

  test('each kind is on in about half of the stormy plans, and independent of the others', () => {
    const batch = batchOf('stormy', 600)
    const on = batch.map((ops) => new Set(ops.map((op) => op.fault)))
    for (const id of faultIds) {
      const share = on.filter((kinds) => kinds.has(id)).length / batch.length
      expect(Math.abs(share - 0.5), id).toBeLessThan(0.08)
    }
    const both = on.filter((kinds) => kinds.has('F-03') && kinds.has('F-14')).length
    expect(Math.abs(both / batch.length - 0.25)).toBeLessThan(0.07)
  })

  test('mild weather stays below where play must go on; full weather goes to the end', () => {
    const extremes = (profile: Profile) => {
      const most = { latencyMs: 0, loss: 0, reorderPackets: 0, corrupt: 0, pauseMs: 0 }
      for (const op of batchOf(profile, 400).flat()) {
        if (op.kind === 'pause') most.pauseMs = Math.max(most.pauseMs, op.durationMs)
        if (op.kind !== 'path') continue
        for (const name of ['latencyMs', 'loss', 'reorderPackets', 'corrupt'] as const) {
          most[name] = Math.max(most[name], op.patch[name] ?? 0)
        }
      }
      return most
    }
    const mild = extremes('stormy')
    expect(mild.latencyMs).toBeLessThanOrEqual(300)
    expect(mild.loss).toBeLessThanOrEqual(0.1)
    expect(mild.pauseMs).toBeLessThanOrEqual(1000)
    const full = extremes('radioactive')
    expect(full.latencyMs).toBeGreaterThan(900)
    expect(full.latencyMs).toBeLessThanOrEqual(1000)
    expect(full.loss).toBeGreaterThan(0.5)
    expect(full.loss).toBeLessThanOrEqual(0.6)
    expect(full.reorderPackets).toBe(64)
    expect(full.corrupt).toBeLessThanOrEqual(0.05)
    expect(full.pauseMs).toBeGreaterThan(4000)
    expect(full.pauseMs).toBeLessThanOrEqual(5000)
  })

  test('loss beyond 30 % lasts ten seconds at most', () => {
    for (const op of batchOf('radioactive').flat()) {
      if (op.kind !== 'path' || (op.patch.loss ?? 0) <= 0.3) continue
      expect(op.durationMs).toBeLessThanOrEqual(10_000)
    }
  })

  test('swizzle has waves of clogs in which nodes stop and go on one by one', () => {
    const ops = batchOf('swizzle').flat()
    expect(new Set(ops.map((op) => op.fault))).toEqual(new Set(['F-01', 'F-02', 'F-09']))
    const clogs = ops.filter((op) => op.kind === 'path' && op.patch.isClogged === true)
    const partitions = ops.filter((op) => op.kind === 'partition')
    expect(clogs.length).toBeGreaterThan(partitions.length / 2)
    expect(partitions.some((op) => op.kind === 'partition' && op.isOneWay)).toBe(true)
  })

  test('a day of longhaul has little weather', () => {
    const dayMs = 86_400_000
    const ops = makeFaultOps(new Prng(1), 'longhaul', targets, dayMs)
    expect(ops.length).toBeGreaterThan(5)
    expect(ops.length).toBeLessThan(1500)
    expect(ops.some((op) => op.atMs > dayMs / 2)).toBe(true)
  })

  test('a target meets only the faults that it allows', () => {
    const some = [{ name: 'relay', faults: ['F-14'] as const }, { name: 'c1' }]
    let relayOps = 0
    for (let seed = 0; seed < 100; seed++) {
      for (const op of makeFaultOps(new Prng(seed), 'radioactive', some, durationMs)) {
        const names = op.kind === 'partition' ? op.groups.flat() : [op.node]
        if (!names.includes('relay')) continue
        expect(op.fault).toBe('F-14')
        relayOps++
      }
    }
    expect(relayOps).toBeGreaterThan(20)
  })

  test('a plan that is shorter than a fault still gets its faults', () => {
    const short = Array.from({ length: 50 }, (_, seed) =>
      makeFaultOps(new Prng(seed), 'radioactive', targets, 200),
    ).flat()
    expect(short.length).toBeGreaterThan(100)
    expect(Math.max(...short.map((op) => op.atMs + op.durationMs))).toBeLessThanOrEqual(200)
  })

  test('clocks are offset in any weather, and drift only in bad', () => {
    for (let seed = 0; seed < 200; seed++) {
      const sunny = makeClockPlan(new Prng(seed), 'sunny')
      expect(sunny.driftPpm).toBe(0)
      const rough = makeClockPlan(new Prng(seed), 'radioactive')
      expect(rough.offsetMs).toBe(sunny.offsetMs)
      expect(Math.abs(rough.driftPpm ?? 0)).toBeLessThanOrEqual(500)
      expect(rough.isMonotonic).toBe(true)
    }
  })

  test('[F-30] counters start just before an edge in boundary, at 0 elsewhere', () => {
    const starts = Array.from({ length: 100 }, (_, seed) =>
      makeCounterStart(new Prng(seed), 'boundary'),
    )
    for (const edge of [2 ** 31, 2 ** 32, 2 ** 53]) {
      expect(starts.filter((at) => at < edge && at >= edge - 5000).length).toBeGreaterThan(15)
    }
    expect(makeCounterStart(new Prng(1), 'stormy')).toBe(0)
    expect(makeCounterStart(new Prng(1), 'boundary', [256])).toBeLessThan(256)
  })
})
