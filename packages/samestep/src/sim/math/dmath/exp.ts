/**
 * The exponential function, and e^x - 1.
 *
 *     x = n·(ln 2)/128 + r,  |r| ≤ 0.0028      e^x = 2^⌊n/128⌋ · T · e^r,  T = 2^((n mod 128)/128)
 *
 * With T from a table in two parts, e^r - 1 is at most 1/350 of the result, so its roundings are
 * worth 0.01 ulp and five terms of Taylor's series are enough.
 */
import { pow2, scaleByPower } from './bits.ts'
import { makeRootsOfTwo } from './exp-table.ts'

/** 2^(i/128) in two parts, for i from 0 to 127. */
const ROOTS_OF_TWO = /* @__PURE__ */ makeRootsOfTwo()

/** Above, e^x is past the largest double. Below, it rounds to zero. */
const OVERFLOW = 709.782712893384
const UNDERFLOW = -745.1332191019412

/** e to the power of x. */
export function exp(x: number): number {
  // Up to 708 the power of two is a normal double.
  if (!(Math.abs(x) < 708)) return +expAtEdge(x)
  const n = nearestStep(x)
  const step = n | 0
  return expFromStep(step, beyondStep(x, n)) * pow2(step >> 7)
}

/** x·128/ln 2, rounded: at 1.5·2^52 the last bit of a double is worth 1. */
function nearestStep(x: number): number {
  return x * 184.6649652337873 + 6755399441055744 - 6755399441055744
}

/**
 * x - n·(ln 2)/128, with (ln 2)/128 in two parts. The product of n with the first, a multiple of
 * 2^-43, is exact up to |x| = 1000, and so is x minus that product.
 */
function beyondStep(x: number, n: number): number {
  return x - n * 0.005415212348111709 - n * 1.2864023111638346e-14
}

/** 2^((step mod 128)/128) · e^r for |r| < 0.0028: between 0.99 and 2. */
const expFromStep = /* @__PURE__ */ makeExpFromStep()

function makeExpFromStep(): (step: number, r: number) => number {
  const roots = ROOTS_OF_TWO
  return (step, r) => {
    const row = (step & 127) << 1
    const power = roots[row] as number
    return power + ((roots[row + 1] as number) + power * expRest(r))
  }
}

/** e^r - 1 for |r| < 0.0028. */
function expRest(r: number): number {
  return r + r * r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120))))
}

function expAtEdge(x: number): number {
  if (!(x <= OVERFLOW)) return x > 0 ? Infinity : NaN
  if (x < UNDERFLOW) return 0
  return scaledExp(x, 0, 0)
}

/** e^(x + low) · 2^exponent for |x| < 800, where e^x alone might overflow or be subnormal. */
export function scaledExp(x: number, low: number, exponent: number): number {
  const n = nearestStep(x)
  const step = n | 0
  return scaleByPower(expFromStep(step, beyondStep(x, n) + low), (step >> 7) + exponent)
}

/** e^x - 1, without the loss that the subtraction has near zero. */
export function expm1(x: number): number {
  const magnitude = Math.abs(x)
  // Below 2^-53 it rounds to x; beyond 1/16, subtracting 1 leaves enough.
  if (magnitude <= 0.0625) return magnitude < 1.1102230246251565e-16 ? x : expm1Series(x)
  // From here on the 1 is less than a thousandth of an ulp of e^x.
  if (!(x < 44)) return +exp(x)
  if (x < -40) return -1
  const n = nearestStep(x)
  const step = n | 0
  const row = (step & 127) << 1
  const scale = pow2(step >> 7)
  const power = (ROOTS_OF_TWO[row] as number) * scale
  const small = (ROOTS_OF_TWO[row + 1] as number) * scale + power * expRest(beyondStep(x, n))
  // power - 1 with its rounding error (Knuth).
  const difference = power - 1
  const back = difference - power
  return difference + (power - (difference - back) + (-1 - back) + small)
}

/** x + x²/2 + x³/6 + … for |x| ≤ 1/16, the last of ten terms below 2^-57 of the result. */
function expm1Series(x: number): number {
  const square = x * x
  const fourth = square * square
  const low = 1 / 6 + x * (1 / 24) + square * (1 / 120 + x * (1 / 720))
  const high = 1 / 5040 + x * (1 / 40320) + square * (1 / 362880 + x * (1 / 3628800))
  return x + (square * 0.5 + square * x * (low + fourth * high))
}
