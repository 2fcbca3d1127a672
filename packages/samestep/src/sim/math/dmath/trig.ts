/**
 * Sine, cosine and tangent.
 *
 * The circle is cut into 256 steps of π/128. With x = n·π/128 + r and |r| ≤ π/256,
 *
 *     sin x = S + (C·sin r + S·(cos r - 1)),   S, C = sine and cosine of the n-th step, from a table
 *
 * where the bracket is at most 1/80: its roundings weigh little against S, and five coefficients are
 * enough. No quadrants, so there is no branch for the processor to guess wrong: that is what makes
 * this faster than a call of `Math.sin`. Around the zeros, where the result is small and a lost bit
 * of r would show, a longer series takes an r of twice the precision.
 *
 * Error: at most 0.5 ulp from the last addition, 0.35 from the rest.
 */
import { reduceByQuarters, reduceLarge, rest } from './trig-reduction.ts'
import { makeSines } from './trig-table.ts'

/** Below this |x|, 2^-27, x is within 0.17 ulp of sin x and tan x. */
const TINY = 7.450580596923828e-9

/** The sine of x radians. NaN for NaN and infinities. */
export function sin(x: number): number {
  // Below 2^18 the number of a step has at most 24 bits.
  if (!(Math.abs(x) < 262144)) return +sinLarge(x)
  const n = nearestStep(x)
  const step = n | 0
  if (isNearZero(step)) return +sinNearZero(x, n)
  return sineFromStep(step, beyondStep(x, n))
}

/** The cosine of x radians. NaN for NaN and infinities. */
export function cos(x: number): number {
  if (!(Math.abs(x) < 262144)) return +cosLarge(x)
  const n = nearestStep(x)
  const step = (n | 0) + 64
  if (isNearZero(step)) return +cosNearZero(x, n)
  return sineFromStep(step, beyondStep(x, n))
}

/** x·128/π, rounded: at 1.5·2^52 the last bit of a double is worth 1. */
function nearestStep(x: number): number {
  return x * 40.74366543152521 + 6755399441055744 - 6755399441055744
}

/**
 * x - n·π/128, with π/128 in two parts. The first has 29 bits, so its product with an n of 24 bits
 * is exact, and so is x minus that product.
 */
function beyondStep(x: number, n: number): number {
  return x - n * 0.024543692590668797 - n * 1.5501462182508444e-11
}

/**
 * Whether the step is at most two away from one where the sine is zero. From the third on, the
 * bracket is less than half of S, and rounding it costs less than a quarter of an ulp.
 */
function isNearZero(step: number): boolean {
  return ((step + 2) & 127) <= 4
}

/** Rows of sine and cosine, each in two parts, for every step of the circle. */
const SINES = /* @__PURE__ */ makeSines()

/** sin(step·π/128 + r) for |r| ≤ π/256, away from the zeros. The coefficients are Taylor's. */
const sineFromStep = /* @__PURE__ */ makeSineFromStep()

function makeSineFromStep(): (step: number, r: number) => number {
  const sines = SINES
  return (step, r) => {
    const row = (step & 255) << 2
    const sine = sines[row] as number
    const cosine = sines[row + 2] as number
    const square = r * r
    const cosineRest = square * (-0.5 + square * (1 / 24 - square * (1 / 720)))
    const sineRest = r * square * (-1 / 6 + square * (1 / 120 - square * (1 / 5040)))
    const small = (sines[row + 1] as number) + (sine * cosineRest + cosine * sineRest)
    return sine + (cosine * r + small)
  }
}

/** sin(high + low) for |high| < 0.062, where Taylor's next term is below 2^-65 of the result. */
function sineNearZero(high: number, low: number): number {
  const z = high * high
  return high + (low + high * z * (-1 / 6 + z * (1 / 120 - z * (1 / 5040 - z * (1 / 362880)))))
}

function sinNearZero(x: number, n: number): number {
  // Returned as it is, also because -0 must stay -0.
  if (Math.abs(x) < TINY) return x
  const halfTurns = Math.round(n / 128)
  reduceByQuarters(x, 2 * halfTurns)
  const sine = sineNearZero(rest[0] as number, rest[1] as number)
  return (halfTurns & 1) === 0 ? sine : -sine
}

function cosNearZero(x: number, n: number): number {
  const halfTurns = Math.round((n - 64) / 128)
  reduceByQuarters(x, 2 * halfTurns + 1)
  const sine = sineNearZero(rest[0] as number, rest[1] as number)
  return (halfTurns & 1) === 0 ? -sine : sine
}

function sinLarge(x: number): number {
  if (!(Math.abs(x) < Infinity)) return NaN
  const quarters = reduceLarge(Math.abs(x))
  const sine = sineOfRest(quarters)
  return x < 0 ? -sine : sine
}

function cosLarge(x: number): number {
  if (!(Math.abs(x) < Infinity)) return NaN
  return sineOfRest(reduceLarge(Math.abs(x)) + 1)
}

/** sin(quarters·π/2 + rest). */
function sineOfRest(quarters: number): number {
  const high = rest[0] as number
  const low = rest[1] as number
  const n = nearestStep(high)
  const step = n + 64 * quarters
  if (!isNearZero(step)) return sineFromStep(step, beyondStep(high, n) + low)
  // A rest is within an eighth of a turn, so the zero that it is near is the multiple itself.
  const sine = sineNearZero(high, low)
  return (quarters & 2) === 0 ? sine : -sine
}

/** The tangent of x radians. NaN for NaN and infinities. */
export function tan(x: number): number {
  const magnitude = Math.abs(x)
  if (!(magnitude < 262144)) return +tanLarge(x)
  const n = nearestStep(x)
  const step = n | 0
  if (isNearZero(step) || isNearZero(step + 64)) return magnitude < TINY ? x : +tanNearQuarter(x, n)
  return tangentFromStep(step, beyondStep(x, n))
}

function tanNearQuarter(x: number, n: number): number {
  const quarters = Math.round(n / 64)
  reduceByQuarters(x, quarters)
  return tangentNearQuarter(quarters, rest[0] as number, rest[1] as number)
}

function tanLarge(x: number): number {
  if (!(Math.abs(x) < Infinity)) return NaN
  const quarters = reduceLarge(Math.abs(x))
  const high = rest[0] as number
  const low = rest[1] as number
  const n = nearestStep(high)
  const tangent =
    Math.abs(n) <= 2
      ? tangentNearQuarter(quarters, high, low)
      : tangentFromStep(n + 64 * quarters, beyondStep(high, n) + low)
  return x < 0 ? -tangent : tangent
}

/**
 * tan(step·π/128 + r): sine and cosine as in {@link sineFromStep}, both kept in two parts, so that the
 * division adds no more than its own rounding.
 */
function tangentFromStep(step: number, r: number): number {
  const row = (step & 255) << 2
  const sine = SINES[row] as number
  const cosine = SINES[row + 2] as number
  const square = r * r
  const cosineRest = square * (-0.5 + square * (1 / 24 - square * (1 / 720)))
  const sineRest = r * square * (-1 / 6 + square * (1 / 120 - square * (1 / 5040)))
  const sineLow = (SINES[row + 1] as number) + (sine * cosineRest + cosine * sineRest)
  const cosineLow = (SINES[row + 3] as number) + (cosine * cosineRest - sine * sineRest)
  return quotient(sine, cosine * r + sineLow, cosine, cosineLow - sine * r)
}

/** tan(quarters·π/2 + high + low) for |high| < 0.062. The coefficients are Taylor's. */
function tangentNearQuarter(quarters: number, high: number, low: number): number {
  const z = high * high
  const series =
    1 / 3 +
    z * (2 / 15 + z * (17 / 315 + z * (62 / 2835 + z * (1382 / 155925 + z * (21844 / 6081075)))))
  const small = low + high * z * series
  return (quarters & 1) === 0 ? high + small : quotient(-1, 0, high, small)
}

/** (a + aLow) / (b + bLow) with about one rounding. */
function quotient(a: number, aLow: number, b: number, bLow: number): number {
  const top = a + aLow
  const topLow = a - top + aLow
  const bottom = b + bLow
  const bottomLow = b - bottom + bLow
  const q = top / bottom
  // What q leaves over, by Dekker's exact product: q·bottom = product + error.
  // 2^27 + 1 cuts a double into halves (Veltkamp), whose products are exact.
  const scaled = q * 134217729
  const qHigh = scaled - (scaled - q)
  const qLow = q - qHigh
  const scaledBottom = bottom * 134217729
  const bottomHigh = scaledBottom - (scaledBottom - bottom)
  const bottomRest = bottom - bottomHigh
  const product = q * bottom
  const error =
    qLow * bottomRest - (product - qHigh * bottomHigh - qLow * bottomHigh - qHigh * bottomRest)
  return q + (top - product - error + topLow - q * bottomLow) / bottom
}
