/**
 * x to the power of y, as e^(y·ln x).
 *
 * An error in y·ln x is an error of the result, and y·ln x goes up to 745: ln x must be good to 2^-66.
 * So the logarithm comes in two parts, the product with y is exact (Dekker), and its low part goes
 * into the small rest of the exponential. Error: 0.5 ulp from the last addition, 0.3 from the rest,
 * so powers that are representable, such as those of small integers, are exact.
 */
import { scaledExp } from './exp.ts'
import { LIFT, LIFT_BITS, logParts, splitLog } from './log.ts'

/**
 * x to the power of y, with ECMAScript's edges: anything to the power of 0 is 1, even NaN; ±1 to the
 * power of ±Infinity is NaN.
 */
export function pow(x: number, y: number): number {
  const size = Math.abs(y)
  // Subnormals go elsewhere too. For the limits of y, see there.
  if (!(x >= 2.2250738585072014e-308 && x < Infinity && size < 1e20 && size > 1e-20)) {
    return +powRare(x, y)
  }
  return powPlain(x, y, 0)
}

/** (x · 2^-lift)^y for a normal x. */
function powPlain(x: number, y: number, lift: number): number {
  splitLog(x, 0, lift)
  const e = logParts[0] as number
  const first = logParts[1] as number
  // ln 2 in two parts: the product of the first with any exponent is exact.
  const whole = e * 0.6931471805598903
  const sum = whole + first
  const sumLow = whole - sum + first + (e * 5.497923018708371e-14 + (logParts[2] as number))
  const ln = sum + sumLow
  const lnLow = sum - ln + sumLow
  // 2^27 + 1 cuts a double into halves (Veltkamp), whose products are exact.
  const lnScaled = ln * 134217729
  const lnUpper = lnScaled - (lnScaled - ln)
  const lnLower = ln - lnUpper
  const yScaled = y * 134217729
  const yUpper = yScaled - (yScaled - y)
  const yLower = y - yUpper
  const exponent = y * ln
  if (!(Math.abs(exponent) < 760)) return +beyondRange(exponent)
  const exponentLow =
    yLower * lnLower -
    (exponent - yUpper * lnUpper - yLower * lnUpper - yUpper * lnLower) +
    y * lnLow
  return scaledExp(exponent, exponentLow, 0)
}

/** Infinity or 0, for an exponent that is past those of all doubles. */
function beyondRange(exponent: number): number {
  return exponent > 0 ? Infinity : 0
}

function powRare(x: number, y: number): number {
  if (y === 0) return 1
  if (Number.isNaN(x) || Number.isNaN(y)) return NaN
  const base = Math.abs(x)
  if (Math.abs(y) === Infinity && base === 1) return NaN
  const whole = Math.floor(y) === y
  if (x < 0 && base < Infinity && !whole) return NaN
  // Every double from 2^53 on is even, and half of it is whole.
  const negative = whole && Math.floor(y / 2) !== y / 2 && (x < 0 || 1 / x < 0)
  const magnitude = powMagnitude(base, y)
  return negative ? -magnitude : magnitude
}

/** base^y for a base that is not negative and a y that is not 0. */
function powMagnitude(base: number, y: number): number {
  if (base === 1) return 1
  const size = Math.abs(y)
  // With so large a y, already the doubles beside 1 lead past all others.
  if (base === 0 || base === Infinity || size >= 1e20) return base > 1 === y > 0 ? Infinity : 0
  // With so small a one, all lead to within a tenth of an ulp of 1.
  if (size <= 1e-20) return 1
  return base < 2.2250738585072014e-308 ? powPlain(base * LIFT, y, LIFT_BITS) : powPlain(base, y, 0)
}
