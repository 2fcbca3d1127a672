import { describe, expect, test } from 'vitest'
import { Prng } from '../../base/prng.ts'
import { ArrivalTrack, jitterMsMax } from './arrival-track.ts'

const intervalMs = 1_000 / 30

/** Notes ticks one by one, each with its latency. */
function feed(track: ArrivalTrack, from: number, to: number, latencyOf: (tick: number) => number) {
  for (let tick = from; tick < to; tick++) {
    track.note(tick, tick * intervalMs + latencyOf(tick))
    track.settle()
  }
}

describe('the playout', () => {
  test('of a perfect network adds nothing', () => {
    const track = new ArrivalTrack(30)
    feed(track, 1, 200, () => 20)
    expect(track.delayMs).toBeCloseTo(0, 6)
    expect(track.jitterMs).toBeCloseTo(0, 6)
    expect(track.headAt(150 * intervalMs + 20)).toBeCloseTo(150, 6)
  })

  test('is the p95 of the phases: 30 ms of even jitter hold ticks back by nearly that', () => {
    const prng = new Prng(3)
    const track = new ArrivalTrack(30)
    feed(track, 1, 600, () => 20 + 30 * prng.unit())
    expect(track.delayMs).toBeGreaterThan(25)
    expect(track.delayMs).toBeLessThan(31)
  })

  test('rises within five ticks of more jitter, and sinks by less than a fifth per second', () => {
    const track = new ArrivalTrack(30)
    feed(track, 1, 200, () => 20)
    feed(track, 200, 205, () => 60)
    expect(track.delayMs).toBeCloseTo(40, 6)
    feed(track, 205, 265, () => 20)
    const before = track.delayMs
    feed(track, 265, 295, () => 20)
    expect(track.delayMs).toBeLessThan(before)
    expect(track.delayMs).toBeGreaterThan(0.8 * before)
  })

  test('moves with a step of the latency once, and has nothing to unlearn', () => {
    const track = new ArrivalTrack(30)
    feed(track, 1, 200, () => 20)
    feed(track, 200, 400, () => 200)
    expect(track.playoutMs).toBeCloseTo(180, 6)
    expect(track.delayMs).toBeCloseTo(0, 6)
  })

  test('comes back after a step down: within 20 s less than a tick is left', () => {
    const track = new ArrivalTrack(30)
    feed(track, 1, 200, () => 200)
    feed(track, 200, 800, () => 20)
    expect(track.delayMs).toBeGreaterThan(0)
    expect(track.delayMs).toBeLessThan(intervalMs)
  })

  test('does not learn from an outage, read packet by packet or in one go', () => {
    for (const isOneGo of [true, false]) {
      const track = new ArrivalTrack(30)
      feed(track, 1, 200, () => 20)
      const backMs = 260 * intervalMs + 20
      for (let tick = isOneGo ? 260 : 200; tick <= 260; tick++) {
        track.note(tick, backMs + (tick - 200) * 0.05)
      }
      track.settle()
      feed(track, 261, 300, () => 20)
      expect(track.delayMs, String(isOneGo)).toBeLessThan(4)
    }
  })

  test('learns from ticks that waited for each other: the first of them was the latest', () => {
    const track = new ArrivalTrack(30)
    feed(track, 1, 200, () => 20)
    track.note(205, 205 * intervalMs + 20)
    track.settle()
    // Five waited, 167 to 33 ms; the p95 of 64 leaves out the worst three.
    expect(track.delayMs).toBeCloseTo(2 * intervalMs, 6)
  })

  test('never holds ticks back by more than the most that is jitter', () => {
    const prng = new Prng(5)
    const track = new ArrivalTrack(30)
    feed(track, 1, 2_000, () => 20 + 2_000 * prng.unit() * prng.unit() * prng.unit())
    for (let late = 0; late < 100; late++) track.postpone(30)
    expect(track.delayMs).toBeLessThanOrEqual(jitterMsMax)
  })
})

describe('the schedule', () => {
  test('tells when a bundle was to be expected, whenever it came', () => {
    const track = new ArrivalTrack(30)
    feed(track, 1, 100, (tick) => (tick % 4 === 0 ? 50 : 20))
    expect(track.earliestMs(100)).toBeCloseTo(100 * intervalMs + 20, 6)
  })

  test('follows a change of speed from its tick on', () => {
    const track = new ArrivalTrack(30)
    feed(track, 1, 100, () => 20)
    track.setTickInterval(2 * intervalMs, 99)
    for (let tick = 100; tick < 200; tick++) {
      track.note(tick, 99 * intervalMs + (tick - 99) * 2 * intervalMs + 20)
      track.settle()
    }
    expect(track.delayMs).toBeCloseTo(0, 6)
    expect(track.headAt(99 * intervalMs + 50 * 2 * intervalMs + 20)).toBeCloseTo(149, 6)
  })

  test('begins anew after a restart, with the jitter that was known', () => {
    const prng = new Prng(3)
    const track = new ArrivalTrack(30)
    feed(track, 1, 300, () => 20 + 30 * prng.unit())
    const delayMs = track.delayMs
    track.restart()
    expect(track.hasStarted).toBe(false)
    feed(track, 9_000, 9_001, () => 700)
    expect(track.hasStarted).toBe(true)
    expect(track.delayMs).toBeCloseTo(delayMs, 6)
    expect(track.headAt(9_000 * intervalMs + 700 + delayMs)).toBeCloseTo(9_000, 6)
  })

  test('a tick that is known already tells nothing', () => {
    const track = new ArrivalTrack(30)
    feed(track, 1, 50, () => 20)
    track.note(30, 9_999)
    track.settle()
    expect(track.delayMs).toBeCloseTo(0, 6)
  })
})
