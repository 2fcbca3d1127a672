import type { Fixed } from './fixed-arithmetic.ts'
import { nearest } from './fixed-arithmetic.ts'

/**
 * Angles, in radians and in turns. `Math.sin` and its family are banned from a tick, because every
 * engine may round them as it likes. Here they are polynomials over doubles, made of additions and
 * multiplications only, whose roundings IEEE 754 fixes.
 *
 * Their error is below 2^-35 units, so the rounding to a unit decides nearly alone. `sin` and `cos`
 * were run over all 2^32 arguments; wherever a value comes so near to a tie that the error could
 * matter, a 113-bit reference rounds the same way. So they are the nearest unit everywhere, therefore
 * monotone between the extremes, odd and even, and exact where the true value is. `atan2` has too many
 * arguments to try them all; its bound is 0.5 + 2^-30 units.
 *
 * Turns suit a heading that lives in a `u16` column: 65536 steps make a full circle, so adding wraps
 * by itself, and quarter turns are exact, which no multiple of π can be.
 */

/** sin(r) for |r| up to π/2: the minimax polynomial of degree 17, whose own error is 2^-62. */
function sine(r: number): number {
  const z = r * r
  const upper = 1.605891860670372e-10 + z * (-7.64251075637622e-13 + z * 2.716656077581751e-15)
  const middle = 2.75573192045709e-6 + z * (-2.5052106380286426e-8 + z * upper)
  const lower = 0.008333333333332993 + z * (-0.00019841269841159383 + z * middle)
  return r + r * z * (-0.16666666666666663 + z * lower)
}

/** Rounds a sine to units, negated when `halfTurns` is odd. */
function settleSine(value: number, halfTurns: number): Fixed {
  // No branch: which half a heading lies in is a coin toss that a processor loses every other time.
  return (nearest(value * 65_536) * (1 - ((halfTurns & 1) << 1))) | 0
}

/** Half-turns in an angle, not yet rounded: times 1 / (65536 π). Only chooses a multiple of π. */
function countHalfTurns(angle: Fixed): number {
  return angle * 4.857023409786845e-6
}

/**
 * What is left of an angle without a multiple of π. π comes in two parts: the first has 32 bits, so
 * that its product with any multiple that occurs (15 bits) is exact; the second has the next 53.
 */
function reduce(angle: Fixed, multiple: number): number {
  return angle / 65_536 - multiple * 3.1415926534682512 - multiple * 1.2154201013012384e-10
}

/** The sine of an angle in radians. The nearest unit for every argument. */
export function sin(angle: Fixed): Fixed {
  const halfTurns = nearest(countHalfTurns(angle))
  return settleSine(sine(reduce(angle, halfTurns)), halfTurns)
}

/** The cosine of an angle in radians. The nearest unit for every argument. */
export function cos(angle: Fixed): Fixed {
  // The multiple of π that is nearest to angle + π/2, so that the quarter turn costs no precision.
  const halfTurns = nearest(countHalfTurns(angle) + 0.5)
  return settleSine(sine(reduce(angle, halfTurns - 0.5)), halfTurns)
}

/** The sine of an angle in turns: `sinTurns(ONE / 4)` is exactly {@link ONE}. */
export function sinTurns(turns: Fixed): Fixed {
  const steps = (turns << 16) >> 16
  const halfTurns = (steps + 0x4000) >> 15
  // A step is 2π / 65536 radians.
  return settleSine(sine((steps - halfTurns * 0x8000) * 9.587379924285257e-5), halfTurns)
}

/** The cosine of an angle in turns: `cosTurns(ONE / 4)` is exactly 0. */
export function cosTurns(turns: Fixed): Fixed {
  return sinTurns(turns + 0x4000)
}

/**
 * The angle of the vector in radians, as a double from -π to π. One division brings the slope below
 * tan(π/8); there the minimax polynomial of degree 21 has an error of 2^-57.
 */
function angleOf(y: number, x: number): number {
  const width = Math.abs(x)
  const height = Math.abs(y)
  const long = width > height ? width : height
  const short = width > height ? height : width
  if (long === 0) return 0
  const isSteep = short > long * 0.41421356237309503
  const t = isSteep ? (short - long) / (short + long) : short / long
  const z = t * t
  const upper = 0.05663513999793941 + z * (-0.04283839805276269 + z * 0.02042369890009329)
  const middle = 0.07689239494441626 + z * (-0.06634856756755388 + z * upper)
  const lower = 0.11111103030999273 + z * (-0.09090713189755724 + z * middle)
  const first = 0.1999999999712199 + z * (-0.14285714081359085 + z * lower)
  let angle = t + t * z * (-0.333333333333146 + z * first)
  // π/4, and twice and four times that.
  if (isSteep) angle += 0.7853981633974483
  if (height > width) angle = 2 * 0.7853981633974483 - angle
  if (x < 0) angle = 4 * 0.7853981633974483 - angle
  return y < 0 ? -angle : angle
}

/**
 * The direction of the vector (x, y) in radians, from -{@link PI} to {@link PI}, 0 for the zero
 * vector. At most 0.5 + 2^-30 units from the true angle. Mirrors: `atan2(-y, x)` is `-atan2(y, x)`,
 * but for the negative x axis, which is {@link PI}.
 */
export function atan2(y: Fixed, x: Fixed): Fixed {
  return nearest(angleOf(y, x) * 65_536) | 0
}

/** The direction of the vector (x, y) in turns, from 0 to below {@link ONE}; fits a `u16` column. */
export function atan2Turns(y: Fixed, x: Fixed): Fixed {
  // 65536 / 2π steps per radian; the one that would be a full turn becomes 0.
  return nearest(angleOf(y, x) * 10430.378350470453) & 0xffff
}
