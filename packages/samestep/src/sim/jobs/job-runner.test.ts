import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { loadSnapshot, saveSnapshot } from '../game/copies/snapshots.ts'
import { defineGame } from '../game/definition/define-game.ts'
import { emptyBundle } from '../game/run/bundle.ts'
import { createSimulation } from '../game/run/simulation.ts'
import { u8 } from '../schema/index.ts'
import { single } from '../state/single.ts'
import type { JobExecutor, JobTicket } from './job.ts'
import { defineJob } from './job.ts'
import { jobRunner, runJob } from './job-runner.ts'
import { addUp, sums } from './testing/sums.ts'

type Order = Parameters<typeof sums.orderCodec.encode>

const bundle = (tick: number, orders: readonly Order[] = []) => ({
  ...emptyBundle(tick),
  orders: orders.map(([name, data]) => ({ seat: 0, bytes: sums.orderCodec.encode(name, data) })),
})
const add = (ticks: number, ...terms: number[]): Order => ['add', { terms, isBad: false, ticks }]
const start = () => createSimulation(sums, { seed: 1, development: true })

afterEach(() => {
  addUp.executor = undefined
})

/** A thread that gives its results when the test says so. */
class TestExecutor implements JobExecutor {
  readonly tickets: { output: Uint8Array | undefined; isPending: boolean; input: Uint8Array }[] = []

  begin(_job: unknown, input: Uint8Array): JobTicket {
    const ticket = { output: undefined, isPending: true, input }
    this.tickets.push(ticket)
    return ticket
  }

  answer(index: number, output?: Uint8Array): void {
    const ticket = this.tickets[index]!
    ticket.isPending = false
    ticket.output = output ?? runJob(addUp, ticket.input)
  }
}

describe('a job', () => {
  test('gives its result at its tick, not earlier and not later', () => {
    const simulation = start()
    simulation.step(bundle(1, [add(5, 1, 2, 3)]))
    for (let tick = 2; tick <= 5; tick++) simulation.step(bundle(tick))
    expect([simulation.state.all.done, simulation.state.sums.waiting.length]).toEqual([0, 1])
    simulation.step(bundle(6))
    expect(simulation.state.all).toMatchObject({ done: 1, lastTick: 6 })
    expect(simulation.state.sums).toEqual({ next: 1, waiting: [] })
  })

  test('is delivered with those that are due earlier first, then those begun earlier', () => {
    const simulation = start()
    const both = start()
    simulation.step(bundle(1, [add(3, 9), add(2, 5), add(3, 7)]))
    both.step(bundle(1, [add(3, 7), add(2, 5), add(3, 9)]))
    for (let tick = 2; tick <= 4; tick++) {
      simulation.step(bundle(tick))
      both.step(bundle(tick))
    }
    expect(simulation.state.all.done).toBe(3)
    expect(simulation.state.all.digest).not.toBe(both.state.all.digest)
  })

  test('is not begun when too many wait, and the caller is told', () => {
    const simulation = start()
    simulation.step(
      bundle(
        1,
        [1, 2, 3, 4, 5, 6].map((term) => add(9, term)),
      ),
    )
    expect([simulation.state.sums.waiting.length, simulation.state.all.refused]).toEqual([4, 2])
  })

  test('with a wrong input is a fault of its step', () => {
    const [fault] = start().step(bundle(1, [['bad', { what: 3 }]])).faults
    expect(String(fault?.error)).toMatch(/add-up\.isBad/)
  })

  test('whose run throws is a fault at its tick, and the others come through', () => {
    const simulation = start()
    simulation.step(bundle(1, [['add', { terms: [1], isBad: true, ticks: 1 }], add(1, 4)]))
    const report = simulation.step(bundle(2))
    expect(report.faults).toMatchObject([{ where: 'step', error: { message: 'bad terms' } }])
    expect([simulation.state.all.done, simulation.state.sums.waiting]).toEqual([1, []])
  })

  test('whose result makes a visit throw is over, and the others come in the next tick', () => {
    const simulation = start()
    simulation.step(bundle(1, [add(1, 1), add(1, 2)]))
    simulation.step(bundle(2, [['trip', {}]]))
    expect([simulation.state.all.done, simulation.state.sums.waiting.length]).toEqual([0, 1])
    simulation.step(bundle(3))
    expect(simulation.state.all).toMatchObject({ done: 1, lastTick: 3 })
  })
})

describe('computed elsewhere', () => {
  test('it holds its tick back until the result is there, and no other tick', () => {
    const executor = new TestExecutor()
    addUp.executor = executor
    const simulation = start()
    simulation.step(bundle(1, [add(2, 1, 2)]))
    expect(simulation.prepare()).toBe(true)
    simulation.step(bundle(2))
    expect(simulation.prepare()).toBe(false)
    executor.answer(0)
    expect(simulation.prepare()).toBe(true)
    simulation.step(bundle(3))
    expect(simulation.state.all.done).toBe(1)
  })

  test('it is begun again by whoever loads the state', () => {
    const early = start()
    early.step(bundle(1, [add(5, 1), add(9, 2)]))
    const executor = new TestExecutor()
    addUp.executor = executor
    const late = start()
    loadSnapshot(late, saveSnapshot(early))
    late.prepare()
    late.prepare()
    expect(executor.tickets).toHaveLength(2)
  })

  test('a result of the wrong form counts for nothing', () => {
    const [executor, plain] = [new TestExecutor(), start()]
    plain.step(bundle(1, [add(1, 8, 9)]))
    plain.step(bundle(2))
    addUp.executor = executor
    const simulation = start()
    simulation.step(bundle(1, [add(1, 8, 9)]))
    simulation.prepare()
    executor.answer(0, new Uint8Array(3))
    simulation.step(bundle(2))
    expect(simulation.syncHashAt(2)).toBe(plain.syncHashAt(2))
  })

  test('whenever results come, or whether, every machine has the same state', () => {
    const order = fc.oneof(
      fc
        .record({
          terms: fc.array(fc.nat(65_535), { maxLength: 8 }),
          isBad: fc.boolean(),
          ticks: fc.integer({ min: 1, max: 20 }),
        })
        .map((data): Order => ['add', data]),
      fc.constant<Order>(['trip', {}]),
    )
    const match = fc.array(fc.array(order, { maxLength: 3 }), { minLength: 1, maxLength: 30 })
    const answers = fc.array(fc.nat(9), { maxLength: 60 })
    fc.assert(
      fc.property(match, answers, fc.nat(30), (ticks, answers, joinAt) => {
        addUp.executor = undefined
        const plain = start()
        const late = start()
        const executor = new TestExecutor()
        addUp.executor = executor
        const ahead = start()
        ticks.forEach((orders, index) => {
          const tick = index + 1
          addUp.executor = undefined
          if (tick === joinAt) loadSnapshot(late, saveSnapshot(plain))
          plain.step(bundle(tick, orders))
          if (tick >= joinAt && joinAt > 0) {
            late.step(bundle(tick, orders))
            expect(late.syncHashAt(tick)).toBe(plain.syncHashAt(tick))
          }
          addUp.executor = executor
          ahead.step(bundle(tick, orders))
          ahead.prepare()
          expect(ahead.syncHashAt(tick)).toBe(plain.syncHashAt(tick))
          for (let count = answers[index] ?? 0; count > 0; count--) {
            const ticket = executor.tickets.length - count
            try {
              if (ticket >= 0) executor.answer(ticket)
            } catch {
              // A bad one: its thread has nothing to answer.
            }
          }
        })
      }),
      { seed: 11, numRuns: 100 },
    )
  })
})

describe('a definition is checked', () => {
  const usual = { name: 'x', input: {}, output: {}, dueTicks: 1, run: () => ({}) }
  test.each([
    [{ name: '' }, /without a name/],
    [{ dueTicks: 0 }, /take 0 ticks/],
    [{ dueTicks: 1e9 }, /take 1000000000 ticks/],
    [{ waitingMax: 0 }, /let 0 jobs 'x' wait/],
  ])('%j', (change, message) => {
    expect(() => defineJob({ ...usual, ...change })).toThrow(message)
  })

  test('and so is the part that the jobs wait in', () => {
    const game = defineGame({
      id: 'x',
      version: 1,
      seats: { min: 1, max: 1 },
      state: { sums: single({ n: u8 }) },
      derived: { sums: jobRunner('sums', addUp) },
      step: () => {},
    })
    expect(() => createSimulation(game, { seed: 1 })).toThrow(/declare it as jobQueue/)
  })
})
