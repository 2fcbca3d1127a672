import { describe, expect, test } from 'vitest'
import type { Game } from '../sim/game/definition/define-game.ts'
import { defineGame } from '../sim/game/definition/define-game.ts'
import { u32 } from '../sim/schema/index.ts'
import { single } from '../sim/state/single.ts'
import { runBatch, seedsFrom, sometimesExpected, takeTurns } from './batch.ts'
import { makeStormPlan } from './plan/storm-plan.ts'
import { runStormPlan } from './run-storm.ts'
import { shrinkStorm } from './shrink-storm.ts'

/** A game that is not a pure function of its ticks: `drift` says what it counts up outside. */
function crookedGame(drift: (counter: { value: number }) => number): Game {
  const counter = { value: 0 }
  return defineGame({
    id: 'crooked',
    version: 1,
    tickRate: 30,
    seats: { min: 1, max: 4 },
    state: { count: single({ value: u32 }) },
    orders: { poke: { by: u32 } },
    setup() {},
    step({ state }) {
      state.count.value = drift(counter)
    },
  }) as unknown as Game
}

const short = { durationMs: 1_000, players: 2 } as const

describe('a batch', () => {
  test('stops after the plans that it was given', () => {
    const progress: number[] = []
    const result = runBatch({
      plansMax: 3,
      profiles: ['sunny'],
      plan: short,
      onProgress: ({ plans }) => progress.push(plans),
    })
    expect(result).toMatchObject({ plans: 3, reruns: 1, virtualMs: 93_000, failures: [] })
    expect(progress).toEqual([1, 2, 3])
    expect(result.sealedTicks).toBeGreaterThan(2_000)
    expect(result.events).toBeGreaterThan(result.sealedTicks)
  })

  test('stops when its caller says so, and when the seeds are used up', () => {
    let asked = 0
    const isOver = () => ++asked > 2
    expect(runBatch({ isOver, profiles: ['sunny'], plan: short }).plans).toBe(2)
    expect(runBatch({ seeds: [4, 9], profiles: ['sunny'], plan: short }).plans).toBe(2)
  })

  test('adds up what its plans met, and names what none of them did', () => {
    const { coverage } = runBatch({ plansMax: 2, profiles: ['sunny'], plan: short })
    expect(coverage.counts['order executed']).toBeGreaterThan(0)
    expect(coverage.missing).toContain('attacker flooder was closed')
    expect(coverage.known).toBeGreaterThanOrEqual(sometimesExpected.length)
  })

  test('finds a game that falls out of step (I-08), with the plan that shows it', () => {
    const game = crookedGame((counter) => ++counter.value)
    const { failures, plans } = runBatch({ game, seeds: seedsFrom(1), plansMax: 5, plan: short })
    expect(plans).toBe(1)
    expect(failures[0]?.violation.invariant).toBe('I-08')
    expect(runStormPlan(failures[0]!.plan, { game }).violation?.invariant).toBe('I-08')
  })

  test('finds a plan that runs in two ways (I-22)', () => {
    // The same for all clients of a run, since it changes once in many ticks, but not for two runs.
    const game = crookedGame((counter) => {
      counter.value += 1
      return counter.value > 500 ? 1 : 0
    })
    const plan = { ...short, players: 1 }
    // Nobody watches: a second client would fall out of step with the first.
    const isAlone = (seed: number) => makeStormPlan(seed, 'sunny', plan).nodes.length === 2
    const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9].filter(isAlone).slice(0, 1)
    const { failures } = runBatch({ game, seeds, profiles: ['sunny'], plan })
    expect(failures[0]?.violation.invariant).toBe('I-22')
  })
})

test('profiles take turns by weight, and each comes once before any comes twice', () => {
  expect(takeTurns(['stormy', 'sunny', 'byzantine'])).toEqual([
    'stormy',
    'sunny',
    'byzantine',
    'stormy',
    'byzantine',
    'stormy',
  ])
})

test('a shrunk plan has no links of nodes that are gone, and still fails', () => {
  const game = crookedGame((counter) => ++counter.value)
  const [failure] = runBatch({ game, seeds: [3], plan: { durationMs: 1_000, players: 4 } }).failures
  const { plan, failure: small } = shrinkStorm(failure!.plan, { game, runsMax: 60 })
  expect(small.invariant).toBe('I-08')
  const names = plan.nodes.map(({ name }) => name)
  expect(names).toHaveLength(3)
  expect(plan.links.map(({ from }) => from).sort()).toEqual(
    names.filter((n) => n !== 'relay').sort(),
  )
})
