import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeUpMsDefault, TickClock } from './tick-clock.ts'

/**
 * Seals ticks as a driver does that wakes exactly when asked, except that it cannot be woken within
 * the stalls. Gives the time of every tick.
 */
function run(
  rate: number,
  untilMs: number,
  stalls: readonly { readonly fromMs: number; readonly toMs: number }[] = [],
): number[] {
  const clock = new TickClock(rate, 0)
  const ticks: number[] = []
  for (;;) {
    let now = clock.wakeAtMs()
    for (const { fromMs, toMs } of stalls) if (now > fromMs && now < toMs) now = toMs
    if (now > untilMs) return ticks
    if (!clock.isDue(now)) throw new Error(`Woken at ${now} for nothing`)
    while (clock.isDue(now)) {
      clock.advance(now)
      ticks.push(now)
    }
  }
}

const rates = [1, 10, 30, 35, 60, 144, 240]

test('the first tick is due after one interval, and not before', () => {
  const clock = new TickClock(20, 1_000)
  expect(clock.wakeAtMs()).toBe(1_050)
  expect(clock.isDue(1_049.9)).toBe(false)
  expect(clock.isDue(1_050)).toBe(true)
})

test.each(rates)(
  'at %i ticks per second, matches tick in four phases, whenever they start',
  (rate) => {
    const phases = new Set<number>()
    for (let startMs = 0; startMs < 3_000; startMs += 13.7) {
      const clock = new TickClock(rate, startMs)
      const atMs = clock.wakeAtMs()
      expect(atMs).toBeGreaterThanOrEqual(startMs + 1_000 / rate)
      expect(atMs).toBeLessThan(startMs + 1_250.001 / rate)
      phases.add(Math.round((atMs * rate) / 250) % 4)
      expect((atMs * rate) / 250).toBeCloseTo(Math.round((atMs * rate) / 250), 6)
    }
    expect(phases.size).toBe(4)
  },
)

test('being late once moves no later tick: what passed adds up', () => {
  const clock = new TickClock(10, 0)
  clock.advance(130)
  expect(clock.wakeAtMs()).toBe(200)
})

test.each(rates)(
  'I-07 at %i ticks per second, any 10 s have 10 times as many, give or take one',
  (rate) => {
    const ticks = run(rate, 40_000)
    for (let from = 0; from <= 30_000; from += 137) {
      const count = ticks.filter((at) => at > from && at <= from + 10_000).length
      expect(Math.abs(count - 10 * rate)).toBeLessThanOrEqual(1)
    }
  },
)

describe('F-14 after a stall', () => {
  const stall = fc.record({
    rate: fc.constantFrom(...rates),
    fromMs: fc.integer({ min: 0, max: 3_000 }),
    lengthMs: fc.double({ min: 0, max: 5_000, noNaN: true }),
  })

  test('ticks are never closer than half an interval: never faster than twice the pace', () => {
    fc.assert(
      fc.property(stall, ({ rate, fromMs, lengthMs }) => {
        const ticks = run(rate, 12_000, [{ fromMs, toMs: fromMs + lengthMs }])
        const gaps = ticks.slice(1).map((at, index) => at - (ticks[index] as number))
        expect(Math.min(...gaps)).toBeGreaterThanOrEqual(500 / rate - 1e-6)
      }),
    )
  })

  test('at most the debt limit is made up; a longer stall is a pause', () => {
    fc.assert(
      fc.property(stall, ({ rate, fromMs, lengthMs }) => {
        const untilMs = 12_000
        const ticks = run(rate, untilMs, [{ fromMs, toMs: fromMs + lengthMs }]).length
        const interval = 1_000 / rate
        const lostMs = Math.max(lengthMs - makeUpMsDefault - interval, 0)
        const mostLostMs = Math.max(lengthMs - makeUpMsDefault + interval, 0) + interval
        expect(ticks).toBeGreaterThanOrEqual(Math.floor((untilMs - mostLostMs) / interval) - 1)
        expect(ticks).toBeLessThanOrEqual(Math.ceil((untilMs - lostMs) / interval) + 1)
      }),
    )
  })

  test('of 800 ms, six of 24 ticks at 30 per second are made up', () => {
    const calm = run(30, 5_000).length
    const stalled = run(30, 5_000, [{ fromMs: 1_000, toMs: 1_800 }]).length
    expect(calm - stalled).toBe(18)
  })
})

test('the pace is kept when every wake-up comes a little late', () => {
  const clock = new TickClock(30, 0)
  let count = 0
  for (let now = clock.wakeAtMs(); now <= 30_000; now = clock.wakeAtMs() + 15) {
    while (clock.isDue(now)) {
      clock.advance(now)
      count += 1
    }
  }
  expect(Math.abs(count - 900)).toBeLessThanOrEqual(1)
})

test('what was postponed is not a debt: the clock goes on from there', () => {
  const clock = new TickClock(10, 0)
  clock.postpone(350)
  clock.advance(350)
  expect(clock.wakeAtMs()).toBe(450)
})

test('postponing to before the due time changes nothing', () => {
  const clock = new TickClock(10, 0)
  clock.postpone(40)
  expect(clock.wakeAtMs()).toBe(100)
})

describe('at another speed', () => {
  test.each([
    [200, 50],
    [50, 200],
    [1_000, 10],
    [10, 1_000],
  ])('of %i percent a tenth of a second is %i ms', (percent, intervalMs) => {
    const clock = new TickClock(10, 0)
    clock.setSpeed(percent, 0)
    expect(clock.wakeAtMs()).toBe(intervalMs)
    const times: number[] = []
    for (let now = clock.wakeAtMs(); times.length < 5; now = clock.wakeAtMs()) {
      times.push(now)
      clock.advance(now)
    }
    expect(times).toEqual([1, 2, 3, 4, 5].map((count) => count * intervalMs))
  })

  test('what is left of the running interval shrinks or grows with it', () => {
    const clock = new TickClock(10, 0)
    clock.setSpeed(50, 75)
    expect(clock.wakeAtMs()).toBe(125)
    clock.setSpeed(100, 75)
    expect(clock.wakeAtMs()).toBe(100)
    clock.setSpeed(500, 75)
    expect(clock.wakeAtMs()).toBe(80)
  })

  test('percents are of the normal speed, not of the last one', () => {
    const clock = new TickClock(10, 0)
    for (const percent of [50, 50, 200, 50, 100]) clock.setSpeed(percent, 0)
    expect(clock.wakeAtMs()).toBe(100)
  })

  test('a tick that is due already stays due', () => {
    const clock = new TickClock(10, 0)
    clock.setSpeed(10, 130)
    expect(clock.isDue(130)).toBe(true)
    clock.advance(130)
    expect(clock.wakeAtMs()).toBe(1_100)
  })

  test('changes again and again, as a slider makes them, lose and gain no time', () => {
    const clock = new TickClock(20, 0)
    let ticks = 0
    for (let now = 0; now <= 10_000; now += 5) {
      if (now % 100 === 0) clock.setSpeed(now % 200 === 0 ? 150 : 50, now)
      while (clock.isDue(now)) {
        clock.advance(now)
        ticks += 1
      }
    }
    // As many as at the mean of both.
    expect(Math.abs(ticks - 200)).toBeLessThanOrEqual(2)
  })
})

test('a match that becomes faster right after a tick goes on at once at the new pace', () => {
  const clock = new TickClock(20, 0)
  while (!clock.isDue(clock.wakeAtMs()));
  const firstMs = clock.wakeAtMs()
  clock.advance(firstMs)
  clock.setSpeed(1_000, firstMs)
  expect(clock.wakeAtMs() - firstMs).toBeLessThanOrEqual(5)
})

test.each([0, 200, 1_000])('CLK-03 of a stall of 2 s, so much is made up: %i ms', (makeUpMs) => {
  const clock = new TickClock(20, 0, makeUpMs)
  let ticks = 0
  const runTo = (untilMs: number) => {
    for (let nowMs = clock.wakeAtMs(); nowMs <= untilMs; nowMs = clock.wakeAtMs()) {
      clock.advance(nowMs)
      ticks += 1
    }
  }
  runTo(1_000)
  expect(ticks).toBe(20)
  clock.advance(3_000)
  runTo(6_000)
  // One by the stall itself, those of the three seconds since, and what is made up.
  expect(ticks + 1).toBe(20 + 1 + 60 + makeUpMs / 50)
})
