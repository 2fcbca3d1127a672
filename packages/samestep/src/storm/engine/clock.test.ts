import { describe, expect, test } from 'vitest'
import { Prng } from '../../base/prng.ts'
import { LocalClock } from './clock.ts'

describe('LocalClock', () => {
  test('shows virtual time plus its offset, and gains by its drift', () => {
    const clock = new LocalClock({ offsetMs: 500, driftPpm: 100 }, 0)
    expect(clock.toLocalMs(0)).toBe(500)
    expect(clock.toLocalMs(10_000_000_000)).toBeCloseTo(500 + 10_000_000 + 1000, 6)
  })

  test('a node that starts later finds its clock already drifted', () => {
    const early = new LocalClock({ driftPpm: -500 }, 0)
    const late = new LocalClock({ driftPpm: -500 }, 1_000_000_000)
    expect(late.toLocalMs(2_000_000_000)).toBeCloseTo(early.toLocalMs(2_000_000_000), 6)
  })

  test('a timer never fires before its local time, and less than 3 µs after it', () => {
    const prng = new Prng(1)
    for (let turn = 0; turn < 2000; turn++) {
      const offsetMs = prng.below(172_800_000) - 86_400_000
      const clock = new LocalClock({ offsetMs, driftPpm: prng.below(1001) - 500 }, 0)
      const nowUs = prng.below(2 ** 32) * 20
      clock.jump(prng.below(7_200_000) - 3_600_000, nowUs)
      const wakeMs = clock.toLocalMs(nowUs) + prng.logUniform(0.001, 1_000_000)
      const atUs = clock.toVirtualUs(wakeMs, nowUs)
      if (clock.toLocalMs(atUs) < wakeMs) expect.fail('too early')
      if (clock.toLocalMs(atUs - 3) >= wakeMs) expect.fail('too late')
    }
  })

  test('nor does it when the times are so large that rounding could hide a hair', () => {
    const prng = new Prng(2)
    for (let turn = 0; turn < 5000; turn++) {
      const clock = new LocalClock({ offsetMs: prng.below(1000), driftPpm: prng.below(500) }, 0)
      // A hair after the clock's reading at a whole microsecond, months into a run.
      const wakeMs = clock.toLocalMs(prng.below(2 ** 32) * 4000) * (1 + Number.EPSILON)
      if (clock.toLocalMs(clock.toVirtualUs(wakeMs, 0)) < wakeMs) expect.fail('too early')
    }
  })

  test('what is due already is due now, whatever the clock does', () => {
    const clock = new LocalClock({}, 0)
    clock.freeze(5000)
    expect(clock.toVirtualUs(4, 9000)).toBe(9000)
    expect(clock.toVirtualUs(Number.NEGATIVE_INFINITY, 9000)).toBe(9000)
  })

  test('a frozen clock stands still, wakes nobody, and goes on from where it stood', () => {
    const clock = new LocalClock({}, 0)
    clock.freeze(2_000_000)
    clock.freeze(3_000_000)
    expect(clock.toLocalMs(9_000_000)).toBe(2000)
    expect(clock.toVirtualUs(2001, 9_000_000)).toBe(Number.POSITIVE_INFINITY)
    clock.thaw(10_000_000)
    expect(clock.toLocalMs(11_000_000)).toBe(2000)
    clock.thaw(12_000_000)
    expect(clock.toLocalMs(13_000_000)).toBe(3000)
  })

  test('jumps go both ways, except that a monotonic clock ignores those back', () => {
    const wall = new LocalClock({}, 0)
    const monotonic = new LocalClock({ isMonotonic: true }, 0)
    for (const clock of [wall, monotonic]) {
      clock.jump(3_600_000, 1_000_000)
      clock.jump(-7_200_000, 2_000_000)
    }
    expect(wall.toLocalMs(3_000_000)).toBe(3000 - 3_600_000)
    expect(monotonic.toLocalMs(3_000_000)).toBe(3000 + 3_600_000)
  })

  test('another drift begins where the clock stands, and the first one can be had back', () => {
    const clock = new LocalClock({ driftPpm: 100 }, 0)
    clock.setDrift(-100, 1_000_000_000)
    expect(clock.toLocalMs(2_000_000_000)).toBeCloseTo(2_000_000, 6)
    clock.setDrift(undefined, 2_000_000_000)
    expect(clock.toLocalMs(3_000_000_000)).toBeCloseTo(3_000_100, 6)
  })
})
