import { expect, test } from 'vitest'
import type { SoakResult } from './soak.ts'
import { formatSummary, isGood, summarize } from './summary.ts'
import { emptyVerdict } from './witness.ts'

const calm: SoakResult = {
  options: { clients: 8, seed: 3, minutes: 5, roundMs: 30_000 },
  minutes: 5.123,
  rounds: 9,
  kills: 9,
  ticks: 9_000,
  verdict: { ...emptyVerdict(), executed: 500 },
  reports: [],
  relayMismatches: 0,
  leftOver: 0,
  errors: [],
  memory: [0, 1, 2, 3, 4].map((minutes) => ({ minutes, heapKb: 20_000, rssKb: 100_000 })),
}

test('a run without a fault is good, and says so', () => {
  const summary = summarize(calm)
  expect(isGood(summary)).toBe(true)
  expect(formatSummary(summary)).toMatch(/\nGood\.$/)
  expect(summary.heapSlopeKbPerMinute).toBe(0)
})

test.each(['lost', 'doubled', 'misplaced', 'unsettled', 'hashMismatches', 'dropped'] as const)(
  'one that is %s is enough for not good',
  (fault) => {
    const summary = summarize({ ...calm, verdict: { ...calm.verdict, [fault]: 1 } })
    expect(isGood(summary)).toBe(false)
    expect(formatSummary(summary)).toContain('npm run soak -- --clients 8 --seed 3')
  },
)

test('hashes that the relay saw differ, what is left over, and errors are no better', () => {
  expect(isGood(summarize({ ...calm, relayMismatches: 1 }))).toBe(false)
  expect(isGood(summarize({ ...calm, leftOver: 1 }))).toBe(false)
  const failed = summarize({ ...calm, errors: ['A process with players ended by itself'] })
  expect(isGood(failed)).toBe(false)
  expect(formatSummary(failed)).toContain('ended by itself')
})

test('nothing played proves nothing', () => {
  expect(isGood(summarize({ ...calm, verdict: emptyVerdict() }))).toBe(false)
})

test('memory that grows is not good, but only the second half of a run counts', () => {
  const grow = (kbPerRound: number) =>
    calm.memory.map((sample, round) => ({ ...sample, heapKb: 20_000 + kbPerRound * round }))
  expect(isGood(summarize({ ...calm, memory: grow(2_000) }))).toBe(false)
  const warmUp = calm.memory.map((sample, round) => {
    return { ...sample, heapKb: round < 2 ? 5_000 * (round + 1) : 20_000 }
  })
  expect(isGood(summarize({ ...calm, memory: warmUp }))).toBe(true)
})

test('a short run tells nothing about memory, and is not held against it', () => {
  const memory = calm.memory.map(({ minutes, ...rest }) => ({
    ...rest,
    minutes: minutes / 4,
    heapKb: 20_000 + 3_000 * minutes,
  }))
  const summary = summarize({ ...calm, memory })
  expect(summary.heapSlopeKbPerMinute).toBeNull()
  expect(isGood(summary)).toBe(true)
  expect(formatSummary(summary)).toContain('too short to tell')
})
