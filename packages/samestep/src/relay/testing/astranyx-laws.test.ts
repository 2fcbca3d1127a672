import { describe, expect, test } from 'vitest'
import { Batching } from '../pace/batching.ts'
import { DelayController } from '../pace/delay-controller.ts'
import {
  AstranyxDelay,
  astranyxBatch,
  astranyxFlushMs,
  astranyxTargetDelay,
} from './astranyx-laws.ts'

describe('Astranyx, by the catalogue', () => {
  test.each([
    [0, 2],
    [33, 2],
    [34, 3],
    [80, 4],
    [133, 5],
    [134, 6],
    [400, 6],
  ])('[DLY-01] a mean round trip of %i ms asks for %i ticks', (rttMs, ticks) => {
    expect(astranyxTargetDelay(rttMs)).toBe(ticks)
  })

  test('[DLY-02] it starts with 3 and moves by one tick per second', () => {
    const delay = new AstranyxDelay()
    const seen: number[] = []
    for (let second = 0; second < 5; second++) {
      for (let part = 0; part < 10; part++) delay.noteRtt(400, second * 1_000 + part * 100)
      seen.push(delay.delayTicks)
    }
    expect(seen).toEqual([4, 5, 6, 6, 6])
  })

  test.each([
    [29, 1],
    [30, 2],
    [59, 2],
    [60, 3],
    [99, 3],
    [100, 4],
  ])('[DLY-04] a latency of %i ms puts %i inputs into a packet', (latencyMs, inputs) => {
    expect(astranyxBatch(latencyMs)).toBe(inputs)
  })
})

/** Feeds our controller with round trips as loops, one input per tick, and gives its choice. */
function ourDelay(rtts: (index: number) => number, range: { min: number; max: number }): number {
  const controller = new DelayController({ seats: 1, tickRate: 30, range })
  controller.setActive(0, true)
  for (let index = 0; index < 300; index++) {
    const nowMs = index * (1_000 / 30)
    controller.noteMargin(0, 4 * (1_000 / 30) - rtts(index), 4, nowMs)
    controller.update(nowMs)
  }
  return controller.delayTicks
}

describe('where ours differs, and why', () => {
  test('no tick on top: 60 ms fit into 2 ticks, where the mean rule takes 3', () => {
    expect(ourDelay(() => 60, { min: 1, max: 6 })).toBe(2)
    expect(astranyxTargetDelay(60)).toBe(3)
  })

  test('jitter counts: a mean of 60 ms with a tenth at 130 ms takes 4 ticks, the mean rule 3', () => {
    const rtts = (index: number) => (index % 10 === 0 ? 130 : 52)
    expect(ourDelay(rtts, { min: 1, max: 6 })).toBe(4)
    expect(astranyxTargetDelay(0.1 * 130 + 0.9 * 52)).toBe(3)
  })

  test('the slowest seat counts, not the mean of all', () => {
    const controller = new DelayController({ seats: 2, tickRate: 30, range: { min: 2, max: 6 } })
    for (const seat of [0, 1]) controller.setActive(seat, true)
    for (let index = 0; index < 300; index++) {
      const nowMs = index * (1_000 / 30)
      controller.noteMargin(0, 100 - 20, 3, nowMs)
      controller.noteMargin(1, 100 - 160, 3, nowMs)
      controller.update(nowMs)
    }
    expect(controller.delayTicks).toBe(5)
    expect(astranyxTargetDelay((20 + 160) / 2)).toBe(4)
  })

  test('[DLY-04] latency alone never batches: at 200 ms we send every tick, Astranyx every fourth', () => {
    const batching = new Batching()
    for (let nowMs = 0; nowMs < 10_000; nowMs += 33) {
      batching.notePath({ queueMs: 0, rttVariationMs: 20 }, nowMs)
      expect(batching.isDue(1, 0, 1_000 / 30)).toBe(true)
    }
    expect(astranyxBatch(200)).toBe(4)
  })

  test('[DLY-04] its forced flush of 33 ms ends every batch at the second tick of 30 per second', () => {
    const interval = 1_000 / 30
    let waited = 0
    let ticks = 1
    while (ticks < astranyxBatch(200) && waited < astranyxFlushMs) {
      waited += interval
      ticks += 1
    }
    expect(ticks).toBe(2)
  })
})
