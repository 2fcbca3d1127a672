/**
 * Hyperbolic sine, cosine and tangent: from e^x where that loses nothing, from a polynomial where it
 * would. Errors stay below 1.6 ulp: the result of `exp` has one rounding, and the operations behind
 * it add theirs.
 */
import { exp, scaledExp } from './exp.ts'

/** From here on e^-x is less than 2^-63 of e^x. */
const ONE_SIDED = 22

/** Beyond, the results of sinh and cosh are past the largest double. */
const OVERFLOW = 710.4758600739439

/** Below this |x|, 2^-27, x is within 0.17 ulp of sinh x and tanh x. */
const TINY = 7.450580596923828e-9

/** The hyperbolic sine of x. */
export function sinh(x: number): number {
  const magnitude = Math.abs(x)
  if (magnitude < 1) return magnitude < TINY ? x : sinhSeries(x)
  const result = magnitude < ONE_SIDED ? sinhMiddle(magnitude) : halfExp(magnitude)
  return x < 0 ? -result : result
}

/** Minimax for (sinh x - x) / x³ in x², up to x = 1, wrong by less than 2^-71. */
function sinhSeries(x: number): number {
  const z = x * x
  const z2 = z * z
  const a = 0.16666666666666666 + z * 0.008333333333333333
  const b = 0.00019841269841269773 + z * 0.000002755731922404034
  const c = 2.505210836405804e-8 + z * 1.6059048396350562e-10
  const d = 7.646625361656657e-13 + z * 2.8445264169895285e-15
  return x + x * z * (a + z2 * b + z2 * z2 * (c + z2 * d))
}

function sinhMiddle(x: number): number {
  const power = exp(x)
  return 0.5 * power - 0.5 / power
}

/** e^x / 2 for large x, also where e^x overflows and its half does not. */
function halfExp(x: number): number {
  if (!(x <= OVERFLOW)) return x > 0 ? Infinity : NaN
  return scaledExp(x, 0, -1)
}

/** The hyperbolic cosine of x. */
export function cosh(x: number): number {
  const magnitude = Math.abs(x)
  if (!(magnitude < ONE_SIDED)) return halfExp(magnitude)
  const power = exp(magnitude)
  return 0.5 * power + 0.5 / power
}

/** The hyperbolic tangent of x. */
export function tanh(x: number): number {
  const magnitude = Math.abs(x)
  if (magnitude < TINY) return x
  const result = tanhPositive(magnitude)
  return x < 0 ? -result : result
}

function tanhPositive(x: number): number {
  if (x < 0.55) return tanhSeries(x)
  // From here on it rounds to 1.
  if (x > ONE_SIDED) return 1
  // The subtrahend is less than the result, and so is its error.
  return 1 - 2 / (exp(2 * x) + 1)
}

/** Minimax for (tanh x - x) / x³ in x², up to x = 0.55, wrong by less than 2^-56. */
function tanhSeries(x: number): number {
  const z = x * x
  const z2 = z * z
  const z4 = z2 * z2
  const a = -0.3333333333333333 + z * 0.13333333333332714
  const b = -0.05396825396743174 + z * 0.021869488493563037
  const c = -0.008863234395418095 + z * 0.003592110347096177
  const d = -0.0014556615775702365 + z * 0.0005889348072447028
  const e = -0.00023463104528300406 + z * 0.00008510707927354112
  const high = e - z2 * 0.000020598556673275166
  return x + x * z * (a + z2 * b + z4 * (c + z2 * d + z4 * high))
}
