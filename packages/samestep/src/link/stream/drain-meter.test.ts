import { expect, test } from 'vitest'
import { DrainMeter } from './drain-meter.ts'

test('without a backlog there is no queue', () => {
  const meter = new DrainMeter()
  for (let nowMs = 0; nowMs <= 5_000; nowMs += 33) expect(meter.queueMs(0, nowMs, nowMs)).toBe(0)
})

test('a backlog is as long as it takes to drain at the speed of late', () => {
  const meter = new DrainMeter()
  // 2 bytes per ms are given, and 1 passed on.
  let queueMs = 0
  for (let nowMs = 0; nowMs <= 2_000; nowMs += 100) queueMs = meter.queueMs(nowMs, 2 * nowMs, nowMs)
  expect(queueMs).toBeCloseTo(2_000, 6)
  // Nothing more is given; the rest drains.
  for (let nowMs = 2_100; nowMs <= 3_500; nowMs += 100) {
    queueMs = meter.queueMs(4_000 - nowMs, 4_000, nowMs)
  }
  expect(queueMs).toBeCloseTo(500, 6)
  expect(meter.queueMs(0, 4_000, 4_000)).toBe(0)
})

test('what was never seen to move is not called slow', () => {
  const meter = new DrainMeter()
  for (let nowMs = 0; nowMs <= 2_000; nowMs += 100) {
    expect(meter.queueMs(1_000 + nowMs, 1_000 + nowMs, nowMs)).toBe(0)
  }
})
