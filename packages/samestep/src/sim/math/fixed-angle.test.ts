import { describe, expect, test } from 'vitest'
import { atan2, atan2Turns, cos, cosTurns, sin, sinTurns } from './fixed-angle.ts'
import { HALF_PI, MAX, MIN, neg, ONE, PI, TAU } from './fixed-arithmetic.ts'
import { Cases, edges, findDifference } from './testing/fixed-cases.ts'
import {
  divideToNearest,
  fromUnits,
  sinCos,
  sineBits,
  sineOne,
  sinePi,
  toUnits,
} from './testing/fixed-reference.ts'

describe('sin and cos', () => {
  test('are the nearest unit for every angle of a full turn, both ways', () => {
    // Turning a vector by one unit again and again is the cheapest exact reference: 2^-128 per step.
    const step = sinCos(fromUnits(1))
    let sine = 0n
    let cosine = sineOne
    for (let angle = 0; angle <= TAU + 1; angle++) {
      const wantSin = toUnits(sine)
      const wantCos = toUnits(cosine)
      if (sin(angle) !== wantSin || cos(angle) !== wantCos) expect.fail(`at ${angle}`)
      if (sin(-angle) !== neg(wantSin) || cos(-angle) !== wantCos) expect.fail(`at -${angle}`)
      const turned = (sine * step.cos + cosine * step.sin) >> sineBits
      cosine = (cosine * step.cos - sine * step.sin) >> sineBits
      sine = turned
    }
  })

  test('are the nearest unit for angles of thousands of turns', () => {
    const check = (angle: number): void => {
      const want = sinCos(fromUnits(angle))
      if (sin(angle) !== toUnits(want.sin)) expect.fail(`sin(${angle})`)
      if (cos(angle) !== toUnits(want.cos)) expect.fail(`cos(${angle})`)
    }
    for (const angle of edges) check(angle)
    const cases = new Cases(1)
    for (let count = 0; count < 20_000; count++) check(cases.next())
    for (let count = 0; count < 5_000; count++) {
      check(MAX - count)
      check(MIN + count)
    }
  })

  test('round right on the arguments of all 2^32 whose values lie nearest to a tie', () => {
    for (const angle of [1_096_971_357, 1_818_983_540, 2_003_574_557]) {
      expect(sin(angle)).toBe(toUnits(sinCos(fromUnits(angle)).sin))
      expect(sin(-angle)).toBe(-sin(angle))
    }
    for (const angle of [1_624_208_088, 1_934_391_726, 1_865_009_771, 931_871_264, 1_474_565_102]) {
      expect(cos(angle)).toBe(toUnits(sinCos(fromUnits(angle)).cos))
      expect(cos(-angle)).toBe(cos(angle))
    }
  })

  test('are exact at the quarters, and never leave -1 to 1', () => {
    expect([0, HALF_PI, PI, TAU].map(sin)).toEqual([0, ONE, 0, 0])
    expect([0, HALF_PI, PI, TAU].map(cos)).toEqual([ONE, 0, -ONE, ONE])
    expect(Object.is(sin(-PI), 0)).toBe(true)
  })

  test('climb and fall without a step back', () => {
    for (let angle = -HALF_PI + 1; angle < HALF_PI; angle++) {
      if (sin(angle) < sin(angle - 1)) expect.fail(`sin falls at ${angle}`)
    }
    for (let angle = 1; angle <= PI; angle++) {
      if (cos(angle) > cos(angle - 1)) expect.fail(`cos climbs at ${angle}`)
    }
  })
})

describe('turns', () => {
  test('sinTurns and cosTurns are the nearest unit for all 65536 angles', () => {
    for (let turns = 0; turns < ONE; turns++) {
      const want = sinCos((BigInt(turns) * 2n * sinePi) >> 16n)
      if (sinTurns(turns) !== toUnits(want.sin)) expect.fail(`sinTurns(${turns})`)
      if (cosTurns(turns) !== toUnits(want.cos)) expect.fail(`cosTurns(${turns})`)
    }
  })

  test('only the fraction of a turn counts', () => {
    expect(findDifference(1, 100_000, sinTurns, (a) => sinTurns(a & 0xffff))).toBeUndefined()
    expect(findDifference(1, 100_000, cosTurns, (a) => cosTurns(a & 0xffff))).toBeUndefined()
  })

  test('quarters and eighths are exact', () => {
    const quarter = ONE / 4
    expect([0, 1, 2, 3, 4].map((count) => sinTurns(count * quarter))).toEqual([0, ONE, 0, -ONE, 0])
    expect([0, 1, 2, 3, 4].map((count) => cosTurns(count * quarter))).toEqual([
      ONE,
      0,
      -ONE,
      0,
      ONE,
    ])
    expect(sinTurns(ONE / 8)).toBe(cosTurns(ONE / 8))
    expect(atan2Turns(5, 5)).toBe(ONE / 8)
    expect(atan2Turns(-5, 5)).toBe((ONE / 8) * 7)
    expect(atan2Turns(0, -5)).toBe(ONE / 2)
    expect(atan2Turns(-1, MAX)).toBe(0)
    expect(atan2Turns(0, 0)).toBe(0)
  })

  test('a heading survives being turned into a vector and back', () => {
    for (let turns = 0; turns < ONE; turns++) {
      const x = cosTurns(turns) * 16_384
      const y = sinTurns(turns) * 16_384
      const difference = ((atan2Turns(y, x) - turns) << 16) >> 16
      if (Math.abs(difference) > 1) expect.fail(`${turns} came back ${difference} off`)
    }
  })
})

/** Whether (x, y) lies counter-clockwise of the direction with this angle, less than half a turn. */
function isBeyond(y: number, x: number, angle: bigint): boolean {
  const direction = sinCos(angle)
  return direction.cos * BigInt(y) - direction.sin * BigInt(x) > 0n
}

/** Ever better fractions for `numerator / denominator`, while both parts fit an int32. */
function convergents(numerator: bigint, denominator: bigint): [y: number, x: number][] {
  const found: [number, number][] = []
  let [y, yBefore, x, xBefore] = [1n, 0n, 0n, 1n]
  while (denominator !== 0n) {
    const quotient = numerator / denominator
    ;[numerator, denominator] = [denominator, numerator - quotient * denominator]
    ;[y, yBefore] = [quotient * y + yBefore, y]
    ;[x, xBefore] = [quotient * x + xBefore, x]
    if (y > BigInt(MAX) || x > BigInt(MAX)) break
    found.push([Number(y), Number(x)])
  }
  return found
}

describe('atan2', () => {
  const half = 1n << (sineBits - 17n)

  test('is within half a unit of the true angle', () => {
    const check = (y: number, x: number): void => {
      if (x === 0 && y === 0) return
      const angle = fromUnits(atan2(y, x))
      // Beyond π the cut of atan2 lies between the two sides, but the directions do not care.
      if (!isBeyond(y, x, angle - half) || isBeyond(y, x, angle + half))
        expect.fail(`atan2(${y}, ${x}) gave ${atan2(y, x)}`)
    }
    for (const y of edges) for (const x of edges) check(y, x)
    const cases = new Cases(2)
    for (let count = 0; count < 15_000; count++) check(cases.next(), cases.next())
  })

  test('keeps its bound on vectors that point as nearly between two units as any can', () => {
    const slack = half + (1n << (sineBits - 16n - 30n))
    for (let unit = 5; unit < HALF_PI - 1; unit += 467) {
      const tie = sinCos(fromUnits(unit) + half)
      for (const [y, x] of convergents(tie.sin, tie.cos)) {
        const angle = fromUnits(atan2(y, x))
        if (!isBeyond(y, x, angle - slack) || isBeyond(y, x, angle + slack))
          expect.fail(`atan2(${y}, ${x}) gave ${atan2(y, x)}`)
      }
    }
  })

  test('atan2Turns is within half a unit of the true angle', () => {
    const half = divideToNearest(sinePi, 65_536n)
    const cases = new Cases(4)
    for (let count = 0; count < 10_000; count++) {
      const y = cases.next()
      const x = cases.next()
      if (x === 0 && y === 0) continue
      const angle = divideToNearest(BigInt(atan2Turns(y, x)) * 2n * sinePi, 65_536n)
      if (!isBeyond(y, x, angle - half) || isBeyond(y, x, angle + half))
        expect.fail(`atan2Turns(${y}, ${x}) gave ${atan2Turns(y, x)}`)
    }
  })

  test('knows the axes and diagonals', () => {
    expect([atan2(0, 0), atan2(0, 7), atan2(0, MAX)]).toEqual([0, 0, 0])
    expect([atan2(0, -1), atan2(0, MIN)]).toEqual([PI, PI])
    expect([atan2(1, 0), atan2(-1, 0), atan2(MIN, 0)]).toEqual([HALF_PI, -HALF_PI, -HALF_PI])
    expect([atan2(9, 9), atan2(9, -9), atan2(-9, -9)]).toEqual([51_472, 154_416, -154_416])
    expect(Object.is(atan2(-1, MAX), 0)).toBe(true)
  })

  test('mirrors at the x axis', () => {
    const mirrored = (y: number, x: number): number => (y === 0 ? atan2(y, x) : neg(atan2(-y, x)))
    expect(findDifference(2, 200_000, atan2, mirrored)).toBeUndefined()
  })

  test('climbs without a step back while a point walks around', () => {
    let last = -PI
    const visit = (y: number, x: number): void => {
      const angle = atan2(y, x)
      if (angle < last) expect.fail(`falls at (${x}, ${y})`)
      last = angle
    }
    const radius = 150_000
    for (let y = -1; y > -radius; y--) visit(y, -radius)
    for (let x = -radius; x < radius; x++) visit(-radius, x)
    for (let y = -radius; y < radius; y++) visit(y, radius)
    for (let x = radius; x > -radius; x--) visit(radius, x)
    for (let y = radius; y >= 0; y--) visit(y, -radius)
    expect(last).toBe(PI)
  })
})
