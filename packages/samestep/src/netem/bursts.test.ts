import { describe, expect, test } from 'vitest'
import { Prng } from '../base/prng.ts'
import { Bursts } from './bursts.ts'

const burst = { everyMs: 900, lengthMs: 100, loss: 1 }

describe('Bursts', () => {
  test('take their share of time, in runs of about their mean length', () => {
    const bursts = new Bursts(burst, new Prng(1), 0)
    let bad = 0
    let runs = 0
    let wasBad = false
    for (let ms = 0; ms < 2_000_000; ms++) {
      const isBad = bursts.isBad(ms * 1000, ms * 1000)
      if (isBad) bad++
      if (isBad && !wasBad) runs++
      wasBad = isBad
    }
    expect(bad / 2_000_000).toBeCloseTo(0.1, 1)
    expect(Math.abs(runs / 2000 - 1)).toBeLessThan(0.15)
  })

  test('looking ahead does not change what comes, however often it is done', () => {
    const plain = new Bursts(burst, new Prng(2), 0)
    const ahead = new Bursts(burst, new Prng(2), 0)
    const foretold = new Map<number, boolean>()
    const prng = new Prng(9)
    for (let ms = 0; ms < 200_000; ms += 7) {
      const later = ms + 7 * prng.below(4000)
      foretold.set(later, ahead.isBad(later * 1000, ms * 1000))
      const isBad = plain.isBad(ms * 1000, ms * 1000)
      expect(ahead.isBad(ms * 1000, ms * 1000)).toBe(isBad)
      const told = foretold.get(ms)
      if (told !== undefined) expect(isBad).toBe(told)
    }
    expect(foretold.size).toBeGreaterThan(1000)
  })

  test('a question after a long silence is answered for its own time', () => {
    const often = new Bursts(burst, new Prng(3), 0)
    const rarely = new Bursts(burst, new Prng(3), 0)
    for (let ms = 0; ms < 500_000; ms++) {
      const isBad = often.isBad(ms * 1000, ms * 1000)
      if (ms % 9973 === 0) expect(rarely.isBad(ms * 1000, ms * 1000)).toBe(isBad)
    }
  })
})
