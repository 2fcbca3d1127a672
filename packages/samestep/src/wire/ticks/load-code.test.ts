import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeLoad, encodeLoad, loadCodeMax } from './load-code.ts'

describe('the code of a load', () => {
  test('stands for one load each, in rising sequence, and every such load has that code', () => {
    const loads = Array.from({ length: 256 }, (_, code) => decodeLoad(code))
    expect(loads).toEqual([...loads].sort((a, b) => a - b))
    expect(new Set(loads).size).toBe(256)
    expect(loads.map(encodeLoad)).toEqual(Array.from({ length: 256 }, (_, code) => code))
    expect(loads.at(-1)).toBe(loadCodeMax)
  })

  test('is exact up to 63 %, and within 1.6 % of any load that a machine can have', () => {
    for (let percent = 0; percent <= 1_000; percent++) {
      const told = decodeLoad(encodeLoad(percent))
      if (percent <= 63) expect(told).toBe(percent)
      expect(Math.abs(told - percent)).toBeLessThanOrEqual(percent * 0.016)
    }
  })

  test('tells a machine four times too slow from one that is three times, or five', () => {
    expect([300, 400, 500].map((percent) => decodeLoad(encodeLoad(percent)))).toEqual([
      304, 400, 504,
    ])
  })

  test('is that of the nearest end for what is no load, and has eight bits for whatever is given', () => {
    expect([-1, 0.4, 5_000].map(encodeLoad)).toEqual([0, 0, 255])
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (percent) => {
        const code = encodeLoad(percent)
        expect(code >= 0 && code <= 255 && Number.isInteger(code)).toBe(true)
      }),
    )
  })
})
