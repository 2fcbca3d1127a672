import { describe, expect, test } from 'vitest'
import { MAX, MIN, ONE } from './fixed-arithmetic.ts'
import { compareLengths, distance, isWithin, length, normaliseInto } from './fixed-vector.ts'
import { Cases, edges, findDifference } from './testing/fixed-cases.ts'
import { divideToNearest, rootDown, rootToNearest, saturate } from './testing/fixed-reference.ts'

function square(x: bigint, y: bigint): bigint {
  return x * x + y * y
}

describe('lengths', () => {
  test('length is the nearest unit, over the whole range', () => {
    const reference = (x: number, y: number): number =>
      saturate(rootToNearest(square(BigInt(x), BigInt(y))))
    expect(findDifference(2, 400_000, length, reference)).toBeUndefined()
  })

  test('length rounds right where a double root cannot know', () => {
    // y is chosen so that x² + y² lies just beside (r + ½)², for roots of all magnitudes.
    const cases = new Cases(3)
    const check = (x: bigint, y: bigint): void => {
      const want = saturate(rootToNearest(square(x, y)))
      const got = length(Number(x), Number(y))
      if (got !== want) expect.fail(`length(${x}, ${y}) gave ${got}, not ${want}`)
    }
    for (let count = 0; count < 150_000; count++) {
      const r = BigInt(cases.next() >>> 2)
      const x = BigInt(cases.next() >>> 1) % (r + 1n)
      const y = rootDown(r * r + r - x * x)
      check(x, y)
      check(x, y + 1n)
    }
    // Here the square is r² + r exactly, the last one that belongs to r.
    for (let k = 1n; k <= 46_340n; k += 3n) check(k * k, k)
  })

  test('distance is right where the differences overflow', () => {
    const reference = (x1: number, y1: number, x2: number, y2: number): number =>
      saturate(rootToNearest(square(BigInt(x1) - BigInt(x2), BigInt(y1) - BigInt(y2))))
    expect(findDifference(4, 300_000, distance, reference)).toBeUndefined()
    expect(distance(MIN, MIN, MAX, MAX)).toBe(MAX)
    expect(distance(MIN, 0, -1, 0)).toBe(MAX)
    expect(distance(3 * ONE, 0, 0, 4 * ONE)).toBe(5 * ONE)
  })
})

describe('comparisons', () => {
  test('compareLengths has the sign of the exact difference', () => {
    const reference = (x1: number, y1: number, x2: number, y2: number): number => {
      const gap = square(BigInt(x1), BigInt(y1)) - square(BigInt(x2), BigInt(y2))
      return gap > 0n ? 1 : gap < 0n ? -1 : 0
    }
    const sign = (...args: number[]): number => {
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = args
      const order = compareLengths(x1, y1, x2, y2)
      return order > 0 ? 1 : order < 0 ? -1 : 0
    }
    expect(findDifference(4, 300_000, sign, reference)).toBeUndefined()
  })

  test('compareLengths takes the largest differences that two fixed numbers can have', () => {
    const widest = MAX - MIN
    expect(compareLengths(widest, widest, widest, widest - 1)).toBeGreaterThan(0)
    expect(compareLengths(-widest, widest - 1, widest, -widest)).toBeLessThan(0)
    expect(compareLengths(widest, -5, 5, -widest)).toBe(0)
  })

  test('isWithin is exact on the circle, one unit inside and one unit outside', () => {
    const cases = new Cases(5)
    for (let count = 0; count < 200_000; count++) {
      const x = cases.next()
      const y = cases.next()
      const exact = square(BigInt(x), BigInt(y))
      const inner = rootDown(exact)
      for (const radius of [inner - 1n, inner, inner + 1n]) {
        if (radius > BigInt(MAX) || radius < 0n) continue
        const want = exact <= radius * radius
        if (isWithin(x, y, 0, 0, Number(radius)) !== want)
          expect.fail(`isWithin(${x}, ${y}, 0, 0, ${radius}) should be ${want}`)
      }
    }
  })

  test('nothing is within a negative radius, and a point is within zero of itself', () => {
    for (const x of edges) {
      expect(isWithin(x, x, x, x, -1)).toBe(false)
      expect(isWithin(x, x, x, x, 0)).toBe(true)
    }
    expect(isWithin(MIN, MIN, MAX, MAX, MAX)).toBe(false)
  })
})

describe('normaliseInto', () => {
  test('gives the nearest components and the old length', () => {
    const out = { x: 0, y: 0 }
    const check = (x: number, y: number): void => {
      const old = normaliseInto(x, y, out)
      if (old !== length(x, y)) expect.fail(`wrong length for (${x}, ${y})`)
      // 64 more bits under the root decide the rounding of the true quotient.
      const root = rootDown(square(BigInt(x), BigInt(y)) << 128n)
      const wantX = x === 0 ? 0 : Number(divideToNearest(BigInt(x) << 80n, root))
      const wantY = y === 0 ? 0 : Number(divideToNearest(BigInt(y) << 80n, root))
      if (!Object.is(out.x, wantX) || !Object.is(out.y, wantY))
        expect.fail(`(${x}, ${y}) gave (${out.x}, ${out.y}), not (${wantX}, ${wantY})`)
    }
    for (const x of edges) for (const y of edges) check(x, y)
    const cases = new Cases(11)
    for (let count = 0; count < 100_000; count++) check(cases.next(), cases.next())
  })

  test('gives 0, 0 and 0 for the zero vector', () => {
    const out = { x: 9, y: 9 }
    expect(normaliseInto(0, 0, out)).toBe(0)
    expect(out).toEqual({ x: 0, y: 0 })
  })
})
