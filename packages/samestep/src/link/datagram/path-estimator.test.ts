import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { timeoutMsInitial, timeoutMsMax, timeoutMsMin } from '../limits.ts'
import { PathEstimator } from './path-estimator.ts'

describe('PathEstimator', () => {
  test('knows nothing before the first sample, and takes that one as it is', () => {
    const path = new PathEstimator()
    expect(path.rttMs).toBeUndefined()
    expect(path.rttVariationMs).toBeUndefined()
    expect(path.timeoutMs(0)).toBe(timeoutMsInitial)
    path.handleSample(80, 0)
    expect(path.rttMs).toBe(80)
    expect(path.rttVariationMs).toBe(40)
  })

  test('smooths as RFC 6298 says', () => {
    const path = new PathEstimator()
    path.handleSample(80, 0)
    path.handleSample(160, 1)
    expect(path.rttVariationMs).toBe((3 / 4) * 40 + (1 / 4) * 80)
    expect(path.rttMs).toBe((7 / 8) * 80 + (1 / 8) * 160)
  })

  test('waits twice as long after each failure, within bounds', () => {
    const path = new PathEstimator()
    expect([0, 1, 2, 3, 1_000].map((failures) => path.timeoutMs(failures))).toEqual([
      500, 1_000, 2_000, 2_000, 2_000,
    ])
    for (let turn = 0; turn < 200; turn++) path.handleSample(1, turn)
    expect(path.timeoutMs(0)).toBe(timeoutMsMin)
    for (let turn = 0; turn < 200; turn++) path.handleSample(9_000, turn)
    expect(path.timeoutMs(0)).toBe(timeoutMsMax)
  })

  test('stays within the range of its samples, and its timeout within its bounds', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5_000), { minLength: 1 }), fc.nat(9), (samples, failures) => {
        const path = new PathEstimator()
        for (const [index, sample] of samples.entries()) path.handleSample(sample, index * 100)
        expect(path.rttMs).toBeGreaterThanOrEqual(Math.min(...samples) - 1e-9)
        expect(path.rttMs).toBeLessThanOrEqual(Math.max(...samples) + 1e-9)
        expect(path.timeoutMs(failures)).toBeGreaterThanOrEqual(timeoutMsMin)
        expect(path.timeoutMs(failures)).toBeLessThanOrEqual(timeoutMsMax)
      }),
    )
  })

  test('the share of losses follows the last few seconds', () => {
    const path = new PathEstimator()
    for (let turn = 0; turn < 500; turn++) path.handleVerdicts(3, 1)
    expect(path.lossShare).toBeGreaterThan(0.22)
    expect(path.lossShare).toBeLessThan(0.28)
    path.handleVerdicts(200, 0)
    expect(path.lossShare).toBeLessThan(0.02)
    path.handleVerdicts(0, 1_000)
    expect(path.lossShare).toBeGreaterThan(0.99)
    expect(path.lossShare).toBeLessThanOrEqual(1)
  })

  test('what exceeds the smallest round trip of the last ten to twenty seconds is a queue', () => {
    const path = new PathEstimator()
    expect(path.queueMs).toBe(0)
    path.handleSample(50, 0)
    for (let atMs = 0; atMs < 9_000; atMs += 100) path.handleSample(150, atMs)
    expect(path.queueMs).toBeGreaterThan(99)
    // The path has changed for good: the old smallest one is forgotten.
    for (let atMs = 9_000; atMs < 31_000; atMs += 100) path.handleSample(150, atMs)
    expect(path.queueMs).toBeLessThan(1)
  })
})
