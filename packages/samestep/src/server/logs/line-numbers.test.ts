import { expect, test } from 'vitest'
import { noLanes } from '../../link/lane-stats.ts'
import type { Session } from '../../relay/match/session.ts'
import { addLineNumbers, lineNumbersOf } from './line-numbers.ts'

function sessionOf(
  seat: number | undefined,
  rttMs: number | undefined,
  link: { rttMs?: number; rttVariationMs?: number } | undefined,
): Session {
  const channel = link && { stats: link }
  return { seat, rttMs, channel } as unknown as Session
}

test('connected players count, by what the link measured or else by what they say', () => {
  const numbers = lineNumbersOf(noLanes, [
    sessionOf(0, 30, { rttMs: 150, rttVariationMs: 12 }),
    sessionOf(1, 30, {}),
    sessionOf(2, undefined, {}),
    sessionOf(3, 30, undefined),
    sessionOf(undefined, 30, {}),
  ])
  expect(numbers.roundTrips).toMatchObject({ count: 2, sumMs: 180, maxMs: 150 })
  expect(numbers.jitter).toMatchObject({ count: 1, sumMs: 12 })
})

test('the numbers of workers add up', () => {
  const lanes = { ...noLanes, tick: { ...noLanes.tick, bytesSent: 7 } }
  const one = lineNumbersOf(lanes, [sessionOf(0, 30, {})])
  const both = addLineNumbers([one, one])
  expect(both.lanes.tick.bytesSent).toBe(14)
  expect(both.roundTrips).toMatchObject({ count: 2, sumMs: 60 })
  expect(addLineNumbers([]).roundTrips.count).toBe(0)
})
