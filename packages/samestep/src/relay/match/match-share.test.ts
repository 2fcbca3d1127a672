import { expect, test } from 'vitest'
import { MatchShare } from './match-share.ts'

test('a match that costs less than half of the time is always ready', () => {
  const share = new MatchShare(0)
  for (let nowMs = 0; nowMs < 10_000; nowMs += 33) {
    share.spend(16, nowMs)
    expect(share.readyAtMs).toBeLessThanOrEqual(nowMs)
  }
})

test('a burst of 100 ms is free, and what is beyond it is waited for twice as long', () => {
  const share = new MatchShare(1_000)
  share.spend(100, 1_000)
  expect(share.readyAtMs).toBe(Number.NEGATIVE_INFINITY)
  share.spend(50, 1_000)
  expect(share.readyAtMs).toBe(1_100)
})

test('whatever a match costs, it gets half of the time in the long run', () => {
  const share = new MatchShare(0)
  let spentMs = 0
  for (let nowMs = 0; nowMs < 60_000; nowMs += 10) {
    if (share.readyAtMs > nowMs) continue
    share.spend(40, nowMs)
    spentMs += 40
  }
  expect(spentMs / 60_000).toBeCloseTo(0.5, 1)
})

test('a clock that is set back, or a cost below zero, gives nothing away', () => {
  const share = new MatchShare(1_000)
  share.spend(150, 1_000)
  share.spend(-500, 500)
  expect(share.readyAtMs).toBe(600)
})
