import { describe, expect, test } from 'vitest'
import { SendShift } from './send-shift.ts'
import type { Latency } from './testing/send-trace.ts'
import { makeLatency, playSendTrace } from './testing/send-trace.ts'

const intervalMs = 1_000 / 30

/** Reports the same margins once per second, in between every tick the hold may grow. */
function report(
  shift: SendShift,
  minMs: number,
  medianMs: number,
  fromS: number,
  toS: number,
): void {
  for (let second = fromS; second < toS; second++) {
    shift.noteReport(minMs, medianMs, 3, second * 1_000)
    for (let tick = 0; tick < 30; tick++) shift.advance(second * 1_000 + tick * intervalMs)
  }
}

describe('the hold', () => {
  test('is nothing before three reports', () => {
    const shift = new SendShift(intervalMs, 3)
    report(shift, 60, 60, 0, 2)
    expect(shift.holdMs).toBe(0)
  })

  test('leaves jitter and 2 ms of the smallest margin, and grows to that by 2 ms per second', () => {
    const shift = new SendShift(intervalMs, 3)
    report(shift, 20, 24, 0, 4)
    expect(shift.holdMs).toBeGreaterThan(1)
    expect(shift.holdMs).toBeLessThanOrEqual(4)
    report(shift, 20, 24, 4, 30)
    expect(shift.holdMs).toBeCloseTo(20 - 4 - 2, 6)
  })

  test('ends just below one interval, however early inputs are', () => {
    const shift = new SendShift(intervalMs, 3)
    report(shift, 90, 91, 0, 60)
    expect(shift.holdMs).toBeCloseTo(intervalMs - 1, 6)
  })

  test('shrinks at once with the first smaller margin, and grows back only slowly', () => {
    const shift = new SendShift(intervalMs, 3)
    report(shift, 40, 40, 0, 60)
    report(shift, 10, 12, 60, 61)
    expect(shift.holdMs).toBeCloseTo(6, 6)
    report(shift, 40, 40, 61, 70)
    expect(shift.holdMs).toBeCloseTo(6, 6)
    report(shift, 40, 40, 70, 80)
    expect(shift.holdMs).toBeGreaterThan(6)
    expect(shift.holdMs).toBeLessThan(20)
  })

  test('is given up at once after a late input, for twice as long each time', () => {
    const shift = new SendShift(intervalMs, 3)
    report(shift, 40, 40, 0, 60)
    const idleSeconds: number[] = []
    let second = 60
    for (let late = 0; late < 4; late++) {
      shift.noteLate(second * 1_000)
      expect(shift.holdMs).toBe(0)
      const since = second
      while (shift.holdMs === 0) {
        report(shift, 40, 40, second, second + 1)
        second += 1
      }
      idleSeconds.push(second - since)
    }
    expect(idleSeconds).toEqual([11, 21, 41, 81])
  })

  test('late inputs are forgiven: after quiet minutes the next one costs no more than the first', () => {
    const shift = new SendShift(intervalMs, 3)
    report(shift, 40, 40, 0, 20)
    let second = 20
    for (let late = 0; late < 3; late++) {
      shift.noteLate(second * 1_000)
      report(shift, 40, 40, second, second + 60)
      second += 60
    }
    report(shift, 40, 40, second, second + 1_200)
    second += 1_200
    shift.noteLate(second * 1_000)
    report(shift, 40, 40, second, second + 12)
    expect(shift.holdMs).toBeGreaterThan(0)
  })

  test('is given up when the relay tells nothing for four seconds', () => {
    const shift = new SendShift(intervalMs, 3)
    report(shift, 40, 40, 0, 60)
    shift.advance(62_500)
    expect(shift.holdMs).toBeGreaterThan(0)
    shift.advance(63_500)
    expect(shift.holdMs).toBe(0)
  })

  test('follows the input delay: a tick less is an interval less of margin, before any report of it', () => {
    const shift = new SendShift(intervalMs, 3)
    report(shift, 50, 50, 0, 60)
    shift.setDelay(2)
    expect(shift.holdMs).toBeCloseTo(50 - intervalMs - 2, 6)
    shift.setDelay(1)
    expect(shift.holdMs).toBe(0)
  })

  test('of a match that is slowed down is not above that of normal speed, and below it of a fast one', () => {
    const shift = new SendShift(intervalMs, 3)
    shift.setTickInterval(4 * intervalMs)
    report(shift, 300, 300, 0, 60)
    expect(shift.holdMs).toBeCloseTo(intervalMs - 1, 6)
    shift.setTickInterval(intervalMs / 2)
    expect(shift.holdMs).toBeLessThan(intervalMs / 2)
  })

  test('is void on a new link', () => {
    const shift = new SendShift(intervalMs, 3)
    report(shift, 50, 50, 0, 60)
    shift.restart()
    expect(shift.holdMs).toBe(0)
    shift.advance(60_100)
    expect(shift.holdMs).toBe(0)
  })
})

describe('when an input goes out', () => {
  const shift = new SendShift(intervalMs, 3)
  report(shift, 40, 40, 0, 60)

  test('is the hold after its bundle was to be expected', () => {
    expect(shift.sendAtMs(1_000, 1_000)).toBe(1_000 + shift.holdMs)
    expect(shift.sendAtMs(1_010, 1_000)).toBe(1_000 + shift.holdMs)
  })

  test('is at once when the bundle used up the hold on its way', () => {
    expect(shift.sendAtMs(1_100, 1_000)).toBe(1_100)
  })

  test('is never later than the hold after the arrival, even of a bundle that is early', () => {
    expect(shift.sendAtMs(990, 1_000)).toBe(990 + shift.holdMs)
  })
})

describe('over a network', () => {
  const steady = { seed: 1, ticks: 3_600, delayTicks: 3 } as const

  test('a step of the latency is answered by one fall and one slow rise: no swinging', () => {
    const down: Latency = (atMs) => (atMs > 40_000 && atMs < 70_000 ? 30 : 20)
    const network = { ...steady, delayTicks: 2, down, up: () => 20 }
    const { holds, lateCount } = playSendTrace({ ...network, isShifting: true })
    const turns = holds.filter((hold, index) => {
      const [before, after] = [holds[index - 1] ?? hold, holds[index + 1] ?? hold]
      return (hold - before) * (after - hold) < -1e-9
    })
    expect(turns.length).toBeLessThanOrEqual(2)
    expect(holds[35]).toBeCloseTo(2 * intervalMs - 40 - 2, 3)
    expect(holds[65]).toBeCloseTo(2 * intervalMs - 50 - 2, 3)
    expect(holds.at(-1)).toBeCloseTo(2 * intervalMs - 40 - 2, 3)
    // Nothing announced it: what was on its way is late, and then nothing more.
    expect(lateCount).toBeLessThanOrEqual(3)
  })

  test('inputs are younger by what was held, and none is late', () => {
    const network = { ...steady, down: () => 20, up: () => 20 }
    const with_ = playSendTrace({ ...network, isShifting: true })
    const without = playSendTrace({ ...network, isShifting: false })
    expect(without.meanAgeMs - with_.meanAgeMs).toBeGreaterThan(24)
    expect(with_.lateCount).toBe(0)
  })

  test('with any jitter that has bounds and does not change, not one input more is late', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const [a, b] = [(seed * 7) % 23, (seed * 5) % 17]
      const network = {
        seed,
        ticks: 3_600,
        delayTicks: 2 + (seed % 4),
        down: ((_, prng) => 15 + a * prng.unit()) as Latency,
        up: ((_, prng) => 15 + b * prng.unit()) as Latency,
      }
      const with_ = playSendTrace({ ...network, isShifting: true })
      const without = playSendTrace({ ...network, isShifting: false })
      expect(with_.lateCount, `seed ${seed}`).toBe(without.lateCount)
    }
  })

  test('over sixty networks of any character, fewer than one input in 10 000 is late by the hold', () => {
    let [extra, total, saved] = [0, 0, 0]
    for (let seed = 1; seed <= 60; seed++) {
      const network = {
        seed,
        ticks: 6_000,
        delayTicks: 2 + (seed % 7),
        down: makeLatency(seed, 'down'),
        up: makeLatency(seed, 'up'),
      }
      const with_ = playSendTrace({ ...network, isShifting: true })
      const without = playSendTrace({ ...network, isShifting: false })
      extra += with_.lateCount - without.lateCount
      total += 6_000
      saved += without.meanAgeMs - with_.meanAgeMs
    }
    expect(extra / total).toBeLessThan(1 / 10_000)
    expect(saved / 60).toBeGreaterThan(10)
  })
})
