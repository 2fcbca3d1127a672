import { describe, expect, test } from 'vitest'
import { profiles, writePlan } from '../engine/plan.ts'
import { attackKinds, isOutsider } from './attack-kinds.ts'
import { knobDefaults, knobsOf, makeStormPlan, readStormPlan } from './storm-plan.ts'

describe('a plan', () => {
  test.each(profiles)(
    'of profile %s is the same for the same seed, and another for another',
    (profile) => {
      expect(makeStormPlan(5, profile)).toEqual(makeStormPlan(5, profile))
      expect(makeStormPlan(6, profile)).not.toEqual(makeStormPlan(5, profile))
    },
  )

  test.each(profiles)(
    'of profile %s is still the same after it was written and read',
    (profile) => {
      for (let seed = 0; seed < 20; seed++) {
        const plan = makeStormPlan(seed, profile)
        expect(readStormPlan(writePlan(plan))).toEqual(plan)
      }
    },
  )

  test.each([
    [1, 1],
    [2, 2],
    [1, 4],
    [3, 5],
  ])('never seats fewer than %i or more than %i, attackers included', (seatsMin, seatsMax) => {
    for (let seed = 0; seed < 200; seed++) {
      const plan = makeStormPlan(seed, 'byzantine', { seatsMin, seatsMax })
      const { nodes } = plan
      const attackers = plan.attackers.filter(({ kind }) => !isOutsider(kind))
      const players = nodes.filter(
        (node) => node.kind === 'client' && node.role === 'player',
      ).length
      expect(players).toBeGreaterThanOrEqual(1)
      expect(players + attackers.length).toBeGreaterThanOrEqual(seatsMin)
      expect(players + attackers.length).toBeLessThanOrEqual(seatsMax)
    }
  })

  test('keeps its first player to the end', () => {
    for (let seed = 0; seed < 200; seed++) {
      const first = makeStormPlan(seed, 'stormy').nodes.find(({ name }) => name === 'c0')
      expect(first).not.toHaveProperty('leavesAtMs')
    }
  })

  test('draws every attacker and every knob in some hundred seeds', () => {
    const plans = Array.from({ length: 200 }, (_, seed) => makeStormPlan(seed, 'boundary'))
    const policies = [1, 2, 3, 4].map((seed) => makeStormPlan(seed, 'desync'))
    const special = [makeStormPlan(1, 'relay-crash'), ...policies]
    const knobs = new Set([...plans, ...special].flatMap((plan) => Object.keys(plan.knobs)))
    expect([...knobs].sort()).toEqual(Object.keys(knobDefaults).sort())
    const kinds = new Set(plans.flatMap(({ attackers }) => attackers.map(({ kind }) => kind)))
    expect([...kinds].sort()).toEqual([...attackKinds].sort())
  })

  test('has no faults and no attackers when it is sunny', () => {
    for (let seed = 0; seed < 50; seed++) {
      expect(makeStormPlan(seed, 'sunny')).toMatchObject({ faults: [], attackers: [] })
    }
  })
})

test('a knob that a plan does not name has its default', () => {
  const plan = { ...makeStormPlan(1, 'sunny'), knobs: { inputDelay: 7 } }
  expect(knobsOf(plan)).toEqual({ ...knobDefaults, inputDelay: 7 })
})

test('no machine keeps ticks back for more than a second', () => {
  const ticksPerRun = (tickRate: number) => {
    return knobsOf({ ...makeStormPlan(1, 'sunny'), knobs: { tickRate, ticksPerRun: 5 } })
      .ticksPerRun
  }
  expect([1, 2, 5, 30].map(ticksPerRun)).toEqual([1, 2, 5, 5])
})

describe('reading a plan', () => {
  const plan = makeStormPlan(1, 'stormy', { players: 2 })

  test.each([
    [{ nodes: [] }, 'it has 0 relays; it must have one'],
    [{ nodes: [...plan.nodes, { name: 'x', kind: 'witch' }] }, "a node of kind 'witch'"],
    [{ attackers: [{ name: 'x', kind: 'dragon' }] }, "a node of kind 'dragon'"],
    [{ version: 2 }, 'its version is 2; it must be 1'],
  ])('%# refuses what storms do not know', (change, message) => {
    expect(() => readStormPlan(JSON.stringify({ ...plan, ...change }))).toThrow(message)
  })
})
