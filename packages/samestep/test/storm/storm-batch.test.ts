import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { BatchResult } from '../../src/storm/index.ts'
import { commitNumber } from '../commit-number.ts'
import {
  makeStormPlan,
  profiles,
  readStormPlan,
  runStormPlan,
  seedsFrom,
  storm,
} from './built-storm.ts'

/** A quarter of the usual length: more different storms in the same time find more. */
const plan = { durationMs: 15_000 } as const

/**
 * Each commit looks at storms that nobody has seen, the same ones wherever it is tested; a failure
 * prints how to get back.
 */
const freshSeed = Number(process.env.STORM_SEED ?? 1_000_000 + commitNumber() * 1_000)

const regressions = join(import.meta.dirname, 'regressions')

/** Hours of sleep take their time: they have a test of their own. */
const quick = profiles.filter((profile) => profile !== 'longhaul')

describe('a batch of storms', () => {
  test('over all profiles violates nothing, and meets most kinds of trouble', () => {
    const result = storm({ seeds: seedsFrom(1), profiles: quick, plansMax: 14, plan })
    expect(violations(result)).toEqual([])
    expect(result.reruns).toBe(1)
    const { met, known, missing } = result.coverage
    expect(met / known, `not met: ${missing.join(', ')}`).toBeGreaterThanOrEqual(0.75)
  }, 300_000)

  test('of seeds that were never used before violates nothing', () => {
    const result = storm({ seeds: seedsFrom(freshSeed), profiles: quick, plansMax: 6, plan })
    expect(violations(result), `STORM_SEED=${freshSeed} runs the same batch`).toEqual([])
  }, 300_000)
})

describe('a plan', () => {
  test.each(profiles)('of profile %s runs the same way every time (I-22)', (profile) => {
    const short = makeStormPlan(7, profile, { durationMs: 5_000, players: 3 })
    const again = readStormPlan(JSON.stringify(short))
    const first = runStormPlan(short)
    expect(first.violation?.message).toBeUndefined()
    expect(runStormPlan(again).traceHash).toBe(first.traceHash)
  })

  test('of another seed runs another way', () => {
    const hashes = [1, 2, 3].map((seed) => {
      return runStormPlan(makeStormPlan(seed, 'stormy', { durationMs: 2_000, players: 2 }))
        .traceHash
    })
    expect(new Set(hashes).size).toBe(3)
  })
})

describe('machines that sleep', () => {
  test('[F-15] for minutes come back to their seats, or are told and come anew', () => {
    const counts = [4, 6].map((seed) => {
      const plan = makeStormPlan(seed, 'longhaul', { durationMs: 20_000, players: 3 })
      const { violation, coverage } = runStormPlan(plan)
      expect(violation?.message).toBeUndefined()
      return coverage.counts
    })
    expect(counts[0]?.['a sleeper was told that his seat is gone']).toBeGreaterThan(0)
    expect(counts[0]?.['a sleeper came anew']).toBeGreaterThan(0)
    expect(counts[1]?.['a sleeper came back to his seat']).toBeGreaterThan(0)
  })

  test('[F-15] for eight hours, all of them, are told that the match is over', () => {
    const drawn = makeStormPlan(1, 'sunny', { players: 2, durationMs: 5_000 })
    const eightHoursMs = 8 * 3_600_000
    const faults = ['c0', 'c1'].map((node, index) => ({
      kind: 'sleep' as const,
      fault: 'F-15' as const,
      node,
      isClockStopped: index === 0,
      atMs: 5_000,
      durationMs: eightHoursMs,
    }))
    const plan = { ...drawn, knobs: {}, faults, durationMs: eightHoursMs + 10_000 }
    const { violation, coverage, sealedTicks } = runStormPlan(plan)
    expect(violation?.message).toBeUndefined()
    expect(coverage.counts['a sleeper was told that his seat is gone']).toBeGreaterThan(0)
    // Nobody plays on while nobody is there.
    expect(sealedTicks).toBeLessThan(20 * 30)
  })
})

describe('the largest match', () => {
  test('of 64 players and 192 spectators comes through a storm', () => {
    const crowd = { players: 64, spectators: 192, durationMs: 3_000 }
    const drawn = makeStormPlan(2, 'swizzle', crowd)
    const knobs = { tickRate: 10, hasDefaultDelay: true }
    // Most are there from the beginning; every fourth comes when the match has begun.
    const nodes = drawn.nodes.map((node, index) =>
      node.name.startsWith('watcher') && index % 4 === 0 ? { ...node, startsAtMs: 8_000 } : node,
    )
    const plan = { ...drawn, quietMs: 12_000, knobs, attackers: [], nodes }
    expect(plan.nodes.length).toBe(1 + 64 + 192)
    expect(plan.faults.length).toBeGreaterThan(0)
    const { violation, sealedTicks, coverage } = runStormPlan(plan)
    expect(violation?.message).toBeUndefined()
    expect(sealedTicks).toBeGreaterThan(100)
    expect(coverage.counts['a spectator joined late']).toBeGreaterThan(10)
  }, 300_000)
})

describe('a bug that a storm found stays fixed', () => {
  test.each(readdirSync(regressions))('%s', (name) => {
    const { violation } = runStormPlan(readStormPlan(readFileSync(join(regressions, name), 'utf8')))
    expect(violation?.message).toBeUndefined()
  })
})

function violations({ failures }: BatchResult): string[] {
  return failures.map(({ plan: { seed, profile }, violation }) => {
    return `seed ${seed}, profile ${profile}: ${violation.message}`
  })
}
