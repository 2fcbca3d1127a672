import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stretchMax, TickStretch } from './tick-stretch.ts'

const tickRate = 30
const intervalMs = 1_000 / tickRate

/**
 * Plays seconds of a match with a delay of three ticks, in which the latest input needs so long from
 * the seal that called for it. Gives the speeds that were announced.
 */
function play(law: TickStretch, loopMs: number, fromS: number, toS: number): number[] {
  const speeds: number[] = []
  for (let second = fromS; second < toS; second++) {
    for (let tick = 0; tick < tickRate; tick++) {
      const earlyMs = 3 * intervalMs * (1 + law.stretch) - loopMs
      // What is late at three ticks makes one of them wait.
      const waitedMs = tick % 3 === 0 ? Math.max(-earlyMs, 0) : 0
      law.noteSealed(waitedMs, Math.max(earlyMs, 0))
    }
    if (law.update(3, second * 1_000)) speeds.push(law.limitOf(100))
  }
  return speeds
}

describe('[LAG-10] the stretch of ticks', () => {
  test('is none as long as nobody is waited for, however early others are', () => {
    const law = new TickStretch(tickRate)
    expect(play(law, 99, 0, 60)).toEqual([])
    expect(law.limitOf(100)).toBe(100)
  })

  test('is within two seconds what the slowest needs', () => {
    const law = new TickStretch(tickRate)
    // 103.5 ms for three ticks of 33: 3.5 %.
    expect(play(law, 103.5, 0, 3)).toEqual([96])
    expect(law.stretch).toBeCloseTo(0.04, 9)
    expect(play(law, 103.5, 3, 60)).toEqual([])
  })

  test('is a tenth at the most: who needs more is waited for', () => {
    const law = new TickStretch(tickRate)
    play(law, 400, 0, 60)
    expect(law.stretch).toBe(stretchMax)
    expect([100, 50, 200, 1_000].map((percent) => law.limitOf(percent))).toEqual([91, 46, 182, 910])
  })

  test('goes back step by step when inputs come early enough for it', () => {
    const law = new TickStretch(tickRate)
    play(law, 110, 0, 10)
    const back = play(law, 60, 10, 90)
    expect(back.at(-1)).toBe(100)
    expect(back).toEqual([...back].sort((a, b) => a - b))
    // A percent in four seconds.
    expect(back.length).toBe(10)
    expect(law.stretch).toBe(0)
  })

  test('a tick that waits now and then changes nothing', () => {
    const law = new TickStretch(tickRate)
    for (let second = 0; second < 60; second++) {
      for (let tick = 0; tick < tickRate; tick++) law.noteSealed(tick < 3 ? 90 : 0, 0)
      expect(law.update(3, second * 1_000)).toBe(false)
    }
  })

  test('stays within 0 and a tenth, and lets no speed fall by more, whatever happens', () => {
    const ticks = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 4_000 }), fc.integer({ min: 0, max: 200 })),
    )
    fc.assert(
      fc.property(
        fc.array(ticks, { maxLength: 20 }),
        fc.integer({ min: 10, max: 1_000 }),
        (seconds, percent) => {
          const law = new TickStretch(tickRate)
          seconds.forEach((second, at) => {
            for (const [waitedMs, slackMs] of second) law.noteSealed(waitedMs, slackMs)
            law.update(3, at * 1_000)
            expect(law.stretch).toBeGreaterThanOrEqual(0)
            expect(law.stretch).toBeLessThanOrEqual(stretchMax)
            expect(law.limitOf(percent) * 1.1).toBeGreaterThanOrEqual(percent - 1e-6)
            expect(law.limitOf(percent)).toBeLessThanOrEqual(percent)
          })
        },
      ),
    )
  })
})
