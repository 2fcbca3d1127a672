import { describe, expect, test } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import * as fixed from './fixed-arithmetic.ts'
import { Cases, edges, findDifference } from './testing/fixed-cases.ts'
import { divideToNearest, rootToNearest, saturate } from './testing/fixed-reference.ts'

describe('products and quotients equal a BigInt reference', () => {
  test('mul, on all pairs of edges and two million random pairs', () => {
    const reference = (a: number, b: number): number =>
      saturate(divideToNearest(BigInt(a) * BigInt(b), 65_536n))
    expect(findDifference(2, 2_000_000, fixed.mul, reference)).toBeUndefined()
  })

  test('div, with its three answers for zero', () => {
    const reference = (a: number, b: number): number => {
      if (b === 0) return a > 0 ? fixed.MAX : a < 0 ? fixed.MIN : 0
      return saturate(divideToNearest(BigInt(a) * 65_536n, BigInt(b)))
    }
    expect(findDifference(2, 1_000_000, fixed.div, reference)).toBeUndefined()
  })

  test('mod has the sign of the divisor, and is 0 for a divisor of 0', () => {
    const reference = (a: number, b: number): number => {
      if (b === 0) return 0
      const rest = BigInt(a) % BigInt(b)
      return Number(rest !== 0n && rest < 0n !== b < 0 ? rest + BigInt(b) : rest)
    }
    expect(findDifference(2, 500_000, fixed.mod, reference)).toBeUndefined()
  })

  test('sqrt, and 0 for what has none', () => {
    const reference = (a: number): number => Number(rootToNearest(BigInt(Math.max(a, 0)) << 16n))
    expect(findDifference(1, 500_000, fixed.sqrt, reference)).toBeUndefined()
  })

  test('sqrt next to every square', () => {
    for (let root = 300; root < 11_585_237; root += 37) {
      const near = Math.floor((root * root) / 65_536)
      for (const a of [near, near + 1]) {
        const units = fixed.sqrt(a)
        const square = a * 65_536
        const isNearest = square > units * units - units && square <= units * units + units
        if (!isNearest) expect.fail(`sqrt(${a}) gave ${units}`)
      }
    }
  })

  test('lerp is rounded once and saturates, also far outside of its ends', () => {
    const reference = (a: number, b: number, t: number): number =>
      saturate(divideToNearest(BigInt(a) * 65_536n + (BigInt(b) - BigInt(a)) * BigInt(t), 65_536n))
    expect(findDifference(3, 500_000, fixed.lerp, reference)).toBeUndefined()
  })

  test('add, sub, neg and abs saturate', () => {
    const wide = (units: number): number => saturate(BigInt(units))
    expect(findDifference(2, 200_000, fixed.add, (a, b) => wide(a + b))).toBeUndefined()
    expect(findDifference(2, 200_000, fixed.sub, (a, b) => wide(a - b))).toBeUndefined()
    expect(findDifference(1, 50_000, fixed.neg, (a) => wide(-a))).toBeUndefined()
    expect(findDifference(1, 50_000, fixed.abs, (a) => wide(Math.abs(a)))).toBeUndefined()
  })
})

describe('whole numbers', () => {
  test('floor, ceil, round and toInt equal a BigInt reference', () => {
    const floorOf = (a: number): bigint => BigInt(a) >> 16n
    expect(
      findDifference(1, 200_000, fixed.floor, (a) => saturate(floorOf(a) << 16n)),
    ).toBeUndefined()
    expect(
      findDifference(1, 200_000, fixed.ceil, (a) => saturate(-(-BigInt(a) >> 16n) << 16n)),
    ).toBeUndefined()
    expect(
      findDifference(1, 200_000, fixed.round, (a) =>
        saturate(divideToNearest(BigInt(a), 65_536n) << 16n),
      ),
    ).toBeUndefined()
    expect(findDifference(1, 200_000, fixed.toInt, (a) => Number(floorOf(a)))).toBeUndefined()
  })

  test('round takes ties to the even number', () => {
    const rounded = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5].map((value) =>
      fixed.toNumber(fixed.round(fixed.from(value))),
    )
    expect(rounded).toEqual([-2, -2, 0, 0, 2, 2])
  })
})

describe('choosing', () => {
  test('min, max and clamp give one of their arguments', () => {
    expect(findDifference(2, 50_000, fixed.min, (a, b) => Math.min(a, b))).toBeUndefined()
    expect(findDifference(2, 50_000, fixed.max, (a, b) => Math.max(a, b))).toBeUndefined()
    expect(
      findDifference(3, 50_000, fixed.clamp, (a, lowest, highest) =>
        Math.max(lowest, Math.min(a, highest)),
      ),
    ).toBeUndefined()
  })

  test('sign is a plain -1, 0 or 1', () => {
    expect(
      findDifference(1, 50_000, fixed.sign, (a) => (a > 0 ? 1 : a < 0 ? -1 : 0)),
    ).toBeUndefined()
  })
})

describe('conversions', () => {
  test('every fixed number survives toNumber and from', () => {
    expect(
      findDifference(
        1,
        500_000,
        (a) => fixed.from(fixed.toNumber(a)),
        (a) => a,
      ),
    ).toBe(undefined)
  })

  test('from rounds to the nearest unit, ties to even', () => {
    const units = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999, 0.50001, -0]
    expect(units.map((value) => fixed.from(value / 65_536))).toEqual([0, 2, 2, 0, -2, -2, 0, 1, 0])
    expect(fixed.from(0.1)).toBe(6554)
    expect(fixed.from(Number.MIN_VALUE)).toBe(0)
  })

  test('from refuses what does not fit, and takes the last value that does', () => {
    expect(fixed.from(-32_768)).toBe(fixed.MIN)
    expect(fixed.from(32_767.999984741)).toBe(fixed.MAX)
    for (const value of [Number.NaN, Infinity, -Infinity, 32_768, -32_768.00001, 1e300]) {
      expect(() => fixed.from(value)).toThrow(UsageError)
    }
    expect(() => fixed.from(40_000)).toThrow(
      'Cannot make a fixed number: the value is 40000; it must be from -32768 to 32767.99998',
    )
  })

  test('fromInt takes exactly the integers from -32768 to 32767', () => {
    for (let value = -32_768; value <= 32_767; value++) {
      if (fixed.toInt(fixed.fromInt(value)) !== value) expect.fail(`lost ${value}`)
    }
    expect(Object.is(fixed.fromInt(-0), 0)).toBe(true)
    for (const value of [32_768, -32_769, 0.5, Number.NaN, Infinity, 65_536]) {
      expect(() => fixed.fromInt(value)).toThrow(UsageError)
    }
  })
})

describe('laws', () => {
  test('the constants are the nearest units', () => {
    expect(fixed.PI).toBe(Math.round(Math.PI * 65_536))
    expect(fixed.TAU).toBe(Math.round(Math.PI * 2 * 65_536))
    expect(fixed.HALF_PI).toBe(Math.round((Math.PI / 2) * 65_536))
    expect([fixed.ONE, fixed.HALF, fixed.EPSILON]).toEqual([65_536, 32_768, 1])
    expect([fixed.MIN, fixed.MAX]).toEqual([-(2 ** 31), 2 ** 31 - 1])
  })

  test('a mirrored world computes the mirrored numbers', () => {
    const cases = new Cases(7)
    for (let count = 0; count < 200_000; count++) {
      const a = cases.next()
      const b = cases.next()
      const product = fixed.mul(a, b)
      const quotient = fixed.div(a, b)
      // MIN has no mirror image.
      if (a === fixed.MIN || product === fixed.MIN || quotient === fixed.MIN) continue
      if (fixed.mul(-a, b) !== fixed.neg(product) && product !== fixed.MAX) expect.fail(`${a}×${b}`)
      if (fixed.div(-a, b) !== fixed.neg(quotient) && quotient !== fixed.MAX)
        expect.fail(`${a}÷${b}`)
    }
  })

  test('halving again and again ends at zero from both sides', () => {
    for (const start of [fixed.MAX, fixed.MIN, 1, -1, 3, -3]) {
      let value = start
      for (let count = 0; count < 40; count++) value = fixed.mul(value, fixed.HALF)
      expect(value).toBe(0)
    }
  })

  test('multiplying by one and dividing by one change nothing', () => {
    for (const a of edges) {
      expect(fixed.mul(a, fixed.ONE)).toBe(a)
      expect(fixed.div(a, fixed.ONE)).toBe(a)
    }
  })
})
