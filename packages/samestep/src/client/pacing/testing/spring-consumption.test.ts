import { describe, expect, test } from 'vitest'
import { playOut, playOutSpring } from './playout.ts'
import {
  SpringConsumer,
  springLegacyRate,
  springQueue,
  springRate,
  springReviewMs,
} from './spring-consumption.ts'

describe('Spring, by the catalogue', () => {
  test('[SMO-01] two waiting ticks are consumed at the pace of the game, each more adds one per second', () => {
    expect(springRate(2, 1)).toBe(30)
    expect(springRate(5, 1)).toBe(33)
    expect(springRate(0, 1)).toBe(28)
    expect(springRate(4, 2)).toBe(60)
  })

  test('[SMO-01] a shorter queue counts at once, a longer one by a tenth', () => {
    expect(springQueue(1, 4)).toBe(1)
    expect(springQueue(14, 4)).toBe(5)
  })

  test('[SMO-01] the rate is reviewed every 500 ms, by the speed', () => {
    expect(springReviewMs(1)).toBe(500)
    expect(springReviewMs(2)).toBe(250)
  })

  test('[SMO-02] the older rule added half a tick per second, and took one off', () => {
    expect(springLegacyRate(2, 1)).toBe(30)
    expect(springLegacyRate(6, 1)).toBe(32)
  })

  test('[SMO-03] a dry queue costs a whole tick before anything runs again', () => {
    const consumer = new SpringConsumer()
    const ran = [consumer.plan(0, 40, 1)]
    for (let frame = 1; frame <= 6; frame++) ran.push(consumer.plan(frame * 10, 10, 5))
    expect(ran).toEqual([1, 0, 0, 0, 1, 0, 0])
  })
})

describe('where ours differs, and why', () => {
  const perfect = { latencyMs: () => 20, fps: 120 }

  test('on a perfect network nothing waits beyond its frame, where Spring keeps a queue', () => {
    expect(playOut(perfect).waitMs).toBeLessThan(1_000 / 120)
    expect(playOutSpring(perfect).waitMs).toBeGreaterThan(1_000 / 30)
  })

  test('at 10 ms of jitter both run without stalls, ours with less waiting', () => {
    const jittery = {
      ...perfect,
      latencyMs: (_: number, prng: { unit(): number }) => 20 + 10 * prng.unit(),
    }
    const ours = playOut(jittery)
    const springs = playOutSpring(jittery)
    expect([ours.stallCount, springs.stallCount]).toEqual([0, 0])
    expect(ours.waitMs).toBeLessThan(springs.waitMs)
  })
})
