import type { Fixed } from './fixed-arithmetic.ts'
import { nearest } from './fixed-arithmetic.ts'

/**
 * Lengths and distances. Squares of fixed numbers need 64 bits and a double has 53, so each function
 * takes the double when that is provably enough and settles the rest with exact split squares. Both
 * ways give the same bits; only far-apart points pay for the second.
 */

/** Receives the result of {@link normaliseInto}. Reuse one object, so that nothing is allocated. */
export type FixedVector = { x: Fixed; y: Fixed }

/**
 * `x1² + y1² - x2² - y2²`, for arguments up to ±2^32: exact below 2^53, and always with the right
 * sign. Each number is split at 16 bits; the three partial sums then are small integers.
 */
function gapOfSquares(x1: number, y1: number, x2: number, y2: number): number {
  const x1High = Math.floor(x1 / 65_536)
  const y1High = Math.floor(y1 / 65_536)
  const x2High = Math.floor(x2 / 65_536)
  const y2High = Math.floor(y2 / 65_536)
  const x1Low = x1 - x1High * 65_536
  const y1Low = y1 - y1High * 65_536
  const x2Low = x2 - x2High * 65_536
  const y2Low = y2 - y2High * 65_536
  const high = x1High * x1High + y1High * y1High - x2High * x2High - y2High * y2High
  const middle = x1High * x1Low + y1High * y1Low - x2High * x2Low - y2High * y2Low
  const low = x1Low * x1Low + y1Low * y1Low - x2Low * x2Low - y2Low * y2Low
  return (high * 65_536 + middle * 2) * 65_536 + low
}

/** The nearest integer to the root of `x² + y²`, for arguments up to ±2^32, saturating. */
function nearestLength(x: number, y: number): Fixed {
  const square = x * x + y * y
  const root = nearest(Math.sqrt(square))
  // Up to 2^50 no double root is so near to a tie that its own rounding could reach it.
  if (square <= 0x4_0000_0000_0000) return root | 0
  if (root > 0x7fff_ffff) return 0x7fff_ffff
  // The square was rounded, so the root may be one off. A root r is nearest when the true square
  // lies above r² - r and not above r² + r: between the squares of r - ½ and r + ½.
  const gap = gapOfSquares(x, y, root, 0)
  if (gap > root) return root < 0x7fff_ffff ? (root + 1) | 0 : 0x7fff_ffff
  return gap <= -root ? (root - 1) | 0 : root | 0
}

/** The length of the vector, to the nearest unit; {@link MAX} when it does not fit. */
export function length(x: Fixed, y: Fixed): Fixed {
  return nearestLength(x, y)
}

/**
 * How far two points are apart, to the nearest unit; {@link MAX} when that does not fit. Right also
 * for opposite corners of the world, where even the difference of the coordinates overflows.
 */
export function distance(x1: Fixed, y1: Fixed, x2: Fixed, y2: Fixed): Fixed {
  return nearestLength(x1 - x2, y1 - y2)
}

/**
 * Compares two lengths without rounding: below 0 when the first vector is shorter, 0 when both are
 * equally long, above 0 when it is longer. The four numbers may be plain differences of two fixed
 * numbers (up to ±2^32). Finds the nearest of many targets without a single root:
 *
 * ```ts
 * if (compareLengths(x[i] - px, y[i] - py, bestDx, bestDy) < 0) best = i
 * ```
 */
export function compareLengths(x1: number, y1: number, x2: number, y2: number): number {
  const first = x1 * x1 + y1 * y1
  const second = x2 * x2 + y2 * y2
  // Below 2^53 a double leaves out no integer.
  if (first < 0x20_0000_0000_0000 && second < 0x20_0000_0000_0000) return first - second
  return gapOfSquares(x1, y1, x2, y2)
}

/** Whether two points are at most `radius` apart: exact, without overflow, without a root. */
export function isWithin(x1: Fixed, y1: Fixed, x2: Fixed, y2: Fixed, radius: Fixed): boolean {
  return radius >= 0 && compareLengths(x1 - x2, y1 - y2, radius, 0) <= 0
}

/**
 * Puts the vector of length 1 with the same direction into `out` and returns the old length; a zero
 * vector gives 0, 0 and 0. Each component is at most 0.5 + 2^-30 units from the true value.
 */
export function normaliseInto(x: Fixed, y: Fixed, out: FixedVector): Fixed {
  const root = Math.sqrt(x * x + y * y)
  const scale = root === 0 ? 1 : root
  out.x = nearest((x * 65_536) / scale) | 0
  out.y = nearest((y * 65_536) / scale) | 0
  return nearestLength(x, y)
}
