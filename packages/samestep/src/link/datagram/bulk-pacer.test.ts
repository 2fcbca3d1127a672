import { describe, expect, test } from 'vitest'
import { bulkSegmentsMax, segmentBytesMax } from '../limits.ts'
import { BulkPacer } from './bulk-pacer.ts'
import { PathEstimator } from './path-estimator.ts'

const rttMs = 100

function make(): { path: PathEstimator; pacer: BulkPacer } {
  const path = new PathEstimator()
  // Twice, so that the variation of the first sample fades.
  for (let turn = 0; turn < 50; turn++) path.handleSample(rttMs, 0)
  return { path, pacer: new BulkPacer(path) }
}

/** One round in which the whole window was used and this share of it was lost. */
function playRound(pacer: BulkPacer, nowMs: number, lossShare: number): void {
  const bytes = pacer.windowBytes
  pacer.handleSent(0, bytes, nowMs)
  pacer.handleLost(bytes * lossShare)
  pacer.handleAcked(bytes * (1 - lossShare), nowMs + rttMs)
}

describe('BulkPacer', () => {
  test('stops when its window is full', () => {
    const { pacer } = make()
    expect(pacer.sendAtMs(0)).toBeLessThanOrEqual(0)
    expect(pacer.sendAtMs(pacer.windowBytes - 1)).toBeLessThanOrEqual(0)
    expect(pacer.sendAtMs(pacer.windowBytes)).toBe(Number.POSITIVE_INFINITY)
  })

  test('spreads a window over the round trip instead of sending it in one burst', () => {
    const { pacer } = make()
    let nowMs = 0
    let sent = 0
    let burst = 0
    while (sent < pacer.windowBytes) {
      const atMs = pacer.sendAtMs(0)
      if (atMs > nowMs) burst = 0
      nowMs = Math.max(nowMs, atMs)
      pacer.handleSent(segmentBytesMax, 0, nowMs)
      sent += segmentBytesMax
      burst++
      expect(burst).toBeLessThanOrEqual(2)
    }
    expect(nowMs).toBeGreaterThan(0.6 * rttMs)
    expect(nowMs).toBeLessThan(rttMs)
  })

  test('makes up for a late timer, but only for a little', () => {
    const { pacer } = make()
    pacer.handleSent(segmentBytesMax, 0, 0)
    let burst = 0
    for (; pacer.sendAtMs(0) <= 1_000; burst++) pacer.handleSent(segmentBytesMax, 0, 1_000)
    expect(burst).toBeLessThanOrEqual(3)
  })

  test('doubles while all is well, up to what the lane can have in flight', () => {
    const { pacer } = make()
    const before = pacer.windowBytes
    playRound(pacer, 0, 0)
    playRound(pacer, rttMs, 0)
    expect(pacer.windowBytes).toBe(4 * before)
    for (let round = 2; round < 20; round++) playRound(pacer, round * rttMs, 0)
    expect(pacer.windowBytes).toBe(bulkSegmentsMax * segmentBytesMax)
  })

  test('does not grow by windows that were not used', () => {
    const { pacer } = make()
    const before = pacer.windowBytes
    for (let round = 0; round < 20; round++) {
      pacer.handleSent(100, 100, round * rttMs)
      pacer.handleAcked(100, (round + 1) * rttMs)
    }
    expect(pacer.windowBytes).toBe(before)
  })

  test('a tenth of random loss leaves a useful window, loss of everything the smallest', () => {
    const { pacer } = make()
    for (let round = 0; round < 200; round++) playRound(pacer, round * rttMs, 0.1)
    expect(pacer.windowBytes).toBeGreaterThan(20 * segmentBytesMax)
    for (let round = 200; round < 240; round++) playRound(pacer, round * rttMs, 1)
    expect(pacer.windowBytes).toBe(4 * segmentBytesMax)
  })

  test('shrinks when queues grow on the path, but not for jitter', () => {
    const { path, pacer } = make()
    for (let round = 0; round < 10; round++) playRound(pacer, round * rttMs, 0)
    const full = pacer.windowBytes
    for (let turn = 0; turn < 200; turn++) path.handleSample(rttMs + (turn % 2) * 80, 1_000)
    playRound(pacer, 2_000, 0)
    expect(pacer.windowBytes).toBe(full)
    for (let turn = 0; turn < 200; turn++) path.handleSample(rttMs + 80, 1_000)
    playRound(pacer, 3_000, 0)
    expect(pacer.windowBytes).toBeLessThan(full)
  })

  test('a timeout starts over with the smallest window', () => {
    const { pacer } = make()
    pacer.handleTimeout()
    expect(pacer.windowBytes).toBe(4 * segmentBytesMax)
    expect(pacer.sendAtMs(0)).toBeLessThanOrEqual(0)
  })
})
