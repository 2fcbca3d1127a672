import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { speedPercentMin } from '../../wire/limits.ts'
import type { LagMode } from './lag-protection.ts'
import { LagProtection } from './lag-protection.ts'

/** A match whose seats all count. */
function protect(mode: LagMode, seats: number): LagProtection {
  const law = new LagProtection({ seats, mode })
  for (let seat = 0; seat < seats; seat++) law.setCounted(seat, true)
  return law
}

/** Reports the same loads once per second and gives the speeds that were announced. */
function play(law: LagProtection, loads: readonly number[], fromS: number, toS: number): number[] {
  const announced: number[] = []
  for (let second = fromS; second < toS; second++) {
    loads.forEach((load, seat) => {
      law.noteLoad(seat, load, second * 1_000)
    })
    const speed = law.update(second * 1_000)
    if (speed !== undefined) announced.push(speed)
  }
  return announced
}

describe('the reference load', () => {
  test('is the true median: the mean of the middle two when their number is even', () => {
    const law = protect('median', 4)
    play(law, [90, 10, 50, 30], 0, 1)
    expect(law.referencePercent(0)).toBe(40)
    const odd = protect('median', 3)
    play(odd, [90, 10, 50], 0, 1)
    expect(odd.referencePercent(0)).toBe(50)
  })

  test('is the largest in maximum mode', () => {
    const law = protect('maximum', 3)
    play(law, [90, 10, 50], 0, 1)
    expect(law.referencePercent(0)).toBe(90)
  })

  test('leaves out who does not count, in both modes, and what he said before', () => {
    for (const mode of ['median', 'maximum'] as const) {
      const law = protect(mode, 2)
      play(law, [40, 900], 0, 1)
      law.setCounted(1, false)
      expect(law.referencePercent(0)).toBe(40)
      law.noteLoad(1, 900, 10)
      law.setCounted(1, true)
      expect(law.referencePercent(10)).toBe(40)
    }
  })

  test('forgets reports after four seconds of silence', () => {
    const law = protect('maximum', 2)
    law.noteLoad(0, 40, 0)
    law.noteLoad(1, 400, 0)
    law.noteLoad(0, 40, 4_001)
    expect(law.referencePercent(4_001)).toBe(40)
    expect(law.referencePercent(9_000)).toBe(-1)
  })
})

describe('the speed', () => {
  test('is never touched when protection is off', () => {
    expect(play(protect('off', 1), [1_000], 0, 60)).toEqual([])
  })

  test('goes half the way every two seconds, and all of it at the end', () => {
    // 75 % of 125 is 60 % speed.
    expect(play(protect('maximum', 2), [125, 10], 0, 30)).toEqual([80, 70, 60])
  })

  test('one slow machine of three changes nothing in median mode', () => {
    expect(play(protect('median', 3), [50, 1_000, 50], 0, 60)).toEqual([])
  })

  test('comes back all the way when the load is gone', () => {
    const law = protect('maximum', 1)
    play(law, [300], 0, 30)
    expect(law.effectivePercent).toBe(25)
    const back = play(law, [20], 30, 60)
    expect(back.at(-1)).toBe(100)
    expect(back).toEqual([...back].sort((a, b) => a - b))
  })

  test('comes back all the way even from within the dead band', () => {
    const law = protect('maximum', 1)
    play(law, [83], 0, 10)
    expect(law.effectivePercent).toBe(90)
    play(law, [20], 10, 20)
    expect(law.effectivePercent).toBe(100)
  })

  test('comes back to what was asked for when nobody reports any more', () => {
    const law = protect('maximum', 1)
    play(law, [300], 0, 30)
    for (let second = 30; second < 60; second++) law.update(second * 1_000)
    expect(law.effectivePercent).toBe(100)
  })

  test('is reviewed every two seconds, no more often', () => {
    const law = protect('maximum', 1)
    law.noteLoad(0, 300, 0)
    expect(law.update(0)).toBe(63)
    expect(law.update(1_999)).toBeUndefined()
    expect(law.update(2_000)).toBe(44)
  })

  test('follows a wish at once, as far as the load allows', () => {
    const law = protect('maximum', 1)
    law.noteLoad(0, 50, 0)
    law.update(0)
    law.requestedPercent = 300
    expect(law.update(10)).toBe(150)
    expect([law.requestedPercent, law.effectivePercent]).toEqual([300, 150])
    law.requestedPercent = 40
    expect(law.update(20)).toBe(40)
  })

  test('refuses a wish below the slowest speed', () => {
    const law = protect('off', 1)
    expect(() => {
      law.requestedPercent = 9
    }).toThrow('Cannot play at 9 %: the speed must be 10 or more')
    expect(() => {
      law.requestedPercent = Number.NaN
    }).toThrow('Cannot play at NaN')
  })

  test('[LAG-06] of a host that plays leaves it 15 % of its time, in every mode', () => {
    const law = protect('off', 1)
    for (let second = 0; second < 30; second++) {
      law.noteHostLoad(100, second * 1_000)
      law.update(second * 1_000)
    }
    expect(law.effectivePercent).toBe(85)
    // A host that is gone, or only watches now, holds nobody back.
    for (let second = 30; second < 60; second++) law.update(second * 1_000)
    expect(law.effectivePercent).toBe(100)
  })

  test('stays within 10 % and what was asked for, in whole percents, whatever is reported', () => {
    const loads = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 40 })
    const wish = fc.integer({ min: speedPercentMin, max: 400 })
    fc.assert(
      fc.property(
        fc.constantFrom('median' as const, 'maximum' as const),
        loads,
        wish,
        (mode, reported, asked) => {
          const law = protect(mode, 1)
          law.requestedPercent = asked
          reported.forEach((load, second) => {
            law.noteLoad(0, load, second * 1_000)
            law.update(second * 1_000)
            expect(law.effectivePercent).toBeGreaterThanOrEqual(speedPercentMin)
            expect(law.effectivePercent).toBeLessThanOrEqual(asked)
            expect(Number.isInteger(law.effectivePercent)).toBe(true)
          })
        },
      ),
    )
  })

  test('settles within 16 s without a step back, and stays, for every constant load', () => {
    for (let load = 0; load <= 1_000; load += 7) {
      const law = protect('median', 1)
      const early = play(law, [load], 0, 16)
      expect(early.length, `load ${load}`).toBeLessThanOrEqual(7)
      expect(early, `load ${load}`).toEqual([...early].sort((a, b) => b - a))
      expect(play(law, [load], 16, 60), `load ${load}`).toEqual([])
    }
  })
})
