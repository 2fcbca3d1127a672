import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MachineClock } from './machine-clock.ts'

describe('machine time', () => {
  test('starts at 0, whatever the driver says, and passes as its clock does', () => {
    const clock = new MachineClock()
    expect(clock.advance(1_700_000_000_000)).toBe(0)
    expect(clock.advance(1_700_000_000_010)).toBe(10)
    expect(clock.timeMs).toBe(10)
  })

  test('does not go back when the clock is set back, and goes on from there', () => {
    const clock = new MachineClock()
    clock.advance(100)
    expect(clock.advance(150)).toBe(50)
    expect(clock.advance(-9_000)).toBe(50)
    expect(clock.advance(-8_990)).toBe(60)
  })

  test('counts a leap as one second, and exactly one second as itself', () => {
    const clock = new MachineClock()
    clock.advance(0)
    expect(clock.advance(1_000)).toBe(1_000)
    expect(clock.advance(2_000.5)).toBe(2_000)
    expect(clock.advance(3_602_000.5)).toBe(3_000)
    expect(clock.advance(3_602_010.5)).toBe(3_010)
  })

  test('can be asked without letting it pass', () => {
    const clock = new MachineClock()
    expect(clock.at(7)).toBe(0)
    clock.advance(100)
    expect([clock.at(150), clock.at(90), clock.at(9_000)]).toEqual([50, 0, 1_000])
    expect(clock.timeMs).toBe(0)
    expect(clock.advance(120)).toBe(20)
  })

  test('never goes back and never leaps, over any sequence of readings', () => {
    const readings = fc.array(fc.oneof(fc.integer({ min: -1e7, max: 1e7 }), fc.nat(50)), {
      minLength: 1,
    })
    fc.assert(
      fc.property(readings, (all) => {
        const clock = new MachineClock()
        let before = 0
        for (const reading of all) {
          const now = clock.advance(reading)
          expect(now).toBeGreaterThanOrEqual(before)
          expect(now - before).toBeLessThanOrEqual(1_000)
          before = now
        }
      }),
    )
  })

  test('is turned back into what the driver will read, or sooner', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 1 }),
        fc.nat(3_000),
        (all, later) => {
          const clock = new MachineClock()
          for (const reading of all) clock.advance(reading)
          const { timeMs } = clock
          const wake = clock.driverTime(timeMs + later)
          expect(wake).toBe((all.at(-1) as number) + Math.min(later, 500))
          expect(clock.advance(wake)).toBe(timeMs + Math.min(later, 500))
        },
      ),
    )
  })

  test('passes as the driver sleeps: a long wait lasts as long as it says', () => {
    const clock = new MachineClock()
    let now = 7_000
    clock.advance(now)
    const untilMs = 60_000
    while (clock.timeMs < untilMs) {
      // Every wake-up comes a little late.
      now = clock.driverTime(untilMs) + 20
      clock.advance(now)
    }
    expect(now).toBe(7_000 + untilMs + 20)
  })

  test('has no driver time for never', () => {
    const clock = new MachineClock()
    clock.advance(5)
    expect(clock.driverTime(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY)
  })
})

test('who wakes when it was told to is not too early, whatever rounding does', () => {
  const times = fc.double({ min: 0, max: 2e12, noNaN: true, noDefaultInfinity: true })
  const waits = fc.double({ min: 0, max: 400, noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(times, fc.array(waits, { maxLength: 20 }), waits, (startMs, steps, waitMs) => {
      const clock = new MachineClock()
      let nowMs = startMs
      clock.advance(nowMs)
      for (const step of steps) {
        nowMs += step
        clock.advance(nowMs)
      }
      const wakeAtMs = clock.timeMs + waitMs
      expect(clock.advance(clock.driverTime(wakeAtMs))).toBeGreaterThanOrEqual(wakeAtMs)
    }),
    { numRuns: 1_000 },
  )
})
