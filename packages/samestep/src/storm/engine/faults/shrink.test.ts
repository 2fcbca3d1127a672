import { describe, expect, test } from 'vitest'
import { Prng } from '../../../base/prng.ts'
import { makeEmptyPlan, type Plan, type PlanNode, type PlanWork } from '../plan.ts'
import { Violation } from '../violation.ts'
import { makeFaultOps } from './fault-maker.ts'
import type { FaultOp } from './fault-op.ts'
import { type PlanFailure, type ShrinkProgress, shrinkPlan } from './shrink.ts'

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

type Client = PlanNode & { readonly isRelay?: boolean }
type Work = PlanWork & { readonly order: number }
type ToyPlan = Plan<Client, PlanNode, Work>

/** A stormy plan with 40 or more faults, 8 clients, 4 attackers, 5 knobs and 300 orders. */
function makePlan(seed: number): ToyPlan {
  const nodes: Client[] = upTo(9).map((at) => ({ name: at === 0 ? 'relay' : `c${at}` }))
  const prng = new Prng(seed)
  let faults: FaultOp[] = []
  while (faults.length < 40) faults = makeFaultOps(prng, 'radioactive', nodes, 120_000)
  const there = { latencyMs: 80, loss: 0.1 }
  return {
    ...makeEmptyPlan(seed, 'radioactive', 120_000),
    knobs: { tickRate: 60, window: 2, hashEvery: 7, ring: 8, chunk: 64 },
    nodes,
    links: nodes.slice(1).map(({ name }) => ({
      from: name,
      to: 'relay',
      points: [0, 30_000, 60_000].map((atMs) => ({
        atMs,
        conditions: { kind: 'datagram', there: { ...there, jitterMs: atMs / 1000 } },
      })),
    })),
    faults: faults.slice(0, 40),
    attackers: upTo(4).map((at) => ({ name: `x${at}` })),
    work: upTo(300).map((order) => ({ atMs: order * 400, order })),
  }
}

describe('shrinkPlan', () => {
  test('reduces 40 faults to the two that a failure needs, and all else to nothing', () => {
    const plan = makePlan(3)
    const [first, second] = [plan.faults[11]!, plan.faults[30]!]
    const has = (faults: readonly FaultOp[], op: FaultOp): boolean =>
      faults.some((each) => each.atMs === op.atMs && each.kind === op.kind)
    const run = ({ faults }: Plan): PlanFailure | undefined => {
      const isFailing = has(faults, first) && has(faults, second)
      return isFailing ? { invariant: 'I-04', atMs: second.atMs + 500 } : undefined
    }
    const result = shrinkPlan(plan, { run })
    expect(result.failure.invariant).toBe('I-04')
    expect(result.plan.faults).toHaveLength(2)
    expect(result.plan.nodes).toEqual([])
    expect(result.plan.attackers).toEqual([])
    expect(result.plan.work).toEqual([])
    expect(result.plan.knobs).toEqual({})
    expect(result.plan.durationMs).toBe(second.atMs + 501)
    expect(result.isFinished).toBe(true)
    expect(result.runs).toBeLessThan(150)
  })

  test('keeps what is needed of every part: relay, client, attacker, knob, orders, conditions', () => {
    const plan = makePlan(5)
    const fault = plan.faults[20]!
    const names = (nodes: readonly PlanNode[]): string[] => nodes.map(({ name }) => name)
    const run = (tried: ToyPlan): PlanFailure | undefined => {
      if (!names(tried.nodes).includes('relay')) throw new Error('the harness needs a relay')
      const orders = tried.work.map(({ order }) => order)
      const isLossy = tried.links.some(
        ({ from, points }) => from === 'c3' && points[0]?.conditions.there?.loss === 0.1,
      )
      const isFailing =
        names(tried.nodes).includes('c3') &&
        names(tried.attackers).includes('x2') &&
        tried.knobs.ring === 8 &&
        orders.includes(17) &&
        orders.includes(18) &&
        isLossy &&
        tried.faults.some((op) => op.atMs === fault.atMs)
      if (!isFailing) return undefined
      throw new Violation('I-01', { atMs: 119_000, node: 'c3' }, 'differs')
    }
    const { plan: small, isFinished } = shrinkPlan(plan, {
      run,
      isNeeded: ({ name }) => name === 'relay',
    })
    expect(names(small.nodes)).toEqual(['relay', 'c3'])
    expect(names(small.attackers)).toEqual(['x2'])
    expect(small.knobs).toEqual({ ring: 8 })
    expect(small.work.map(({ order }) => order)).toEqual([17, 18])
    expect(small.faults.map(({ atMs }) => atMs)).toEqual([fault.atMs])
    expect(small.links.filter(({ points }) => points.length > 1)).toEqual([])
    expect(small.links.filter(({ points }) => points[0]?.conditions.there !== undefined)).toEqual([
      {
        from: 'c3',
        to: 'relay',
        points: [
          {
            atMs: 0,
            conditions: { kind: 'datagram', there: { latencyMs: 80, loss: 0.1, jitterMs: 0 } },
          },
        ],
      },
    ])
    expect(isFinished).toBe(true)
  })

  test('a step that makes another invariant fail is not taken', () => {
    const plan = makePlan(7)
    // With fewer than 20 faults something else breaks first.
    const run = ({ faults }: Plan): PlanFailure => ({
      invariant: faults.length >= 20 ? 'I-02' : 'I-20',
      atMs: 120_000,
    })
    const result = shrinkPlan(plan, { run })
    expect(result.plan.faults).toHaveLength(20)
    expect(result.failure.invariant).toBe('I-02')
  })

  test('a fault is shortened for as long as the failure lasts', () => {
    const op: FaultOp = { kind: 'pause', fault: 'F-14', node: 'c1', atMs: 50, durationMs: 4000 }
    const plan: Plan = { ...makeEmptyPlan(1, 'stormy', 10_000), faults: [op] }
    const run = ({ faults }: Plan): PlanFailure | undefined =>
      (faults[0]?.durationMs ?? 0) >= 300 ? { invariant: 'I-07', atMs: 9000 } : undefined
    expect(shrinkPlan(plan, { run }).plan.faults[0]?.durationMs).toBe(500)
  })

  test('stops when its runs are used up, and tells its progress', () => {
    const plan = makePlan(9)
    const progress: ShrinkProgress[] = []
    let runs = 0
    const run = ({ faults, work }: ToyPlan): PlanFailure | undefined => {
      runs++
      const isFailing = faults.length >= 17 && work.length >= 100
      return isFailing ? { invariant: 'I-01', atMs: 120_000 } : undefined
    }
    const onProgress = (at: ShrinkProgress): number => progress.push(at)
    const result = shrinkPlan(plan, { run, runsMax: 30, onProgress })
    expect([runs, result.runs, result.isFinished]).toEqual([30, 30, false])
    expect(result.plan.faults.length).toBeLessThan(40)
    expect(progress.at(-1)?.faults).toBe(result.plan.faults.length)
    expect(progress.map((at) => at.runs)).toEqual(
      progress.map((at) => at.runs).sort((a, b) => a - b),
    )
  })

  test('a plan that does not fail is refused, and a broken harness is not hidden', () => {
    const plan = makePlan(1)
    expect(() => shrinkPlan(plan, { run: () => undefined })).toThrow('it does not fail')
    const run = (): never => {
      throw new RangeError('broken')
    }
    expect(() => shrinkPlan(plan, { run })).toThrow(RangeError)
  })
})
