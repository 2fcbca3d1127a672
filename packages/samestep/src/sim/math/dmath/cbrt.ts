/**
 * Cube root.
 *
 * With x = 8^q · m and t ≈ ∛m of only 17 bits, t³ is exact, and so is m - t³. Then
 *
 *     ∛m = t · (1 + d)^(1/3),   d = (m - t³)/t³,   |d| < 2^-14
 *
 * and four terms of the binomial series give a correction whose roundings are worth nothing. Error:
 * the 0.5 ulp of the last addition; cubes come out exact.
 */
import { highWord, pow2 } from './bits.ts'

/** The smallest normal double. */
const NORMAL_MIN = 2.2250738585072014e-308

/**
 * ∛1, ∛2 and ∛4, then the same negative: choosing by index spares branches on sign and exponent. The
 * zeros make it large enough to live outside of the engine's moving heap, where access is faster.
 */
const ROOTS = new Float64Array([
  1, 1.2599210498948732, 1.5874010519681996, -1, -1.2599210498948732, -1.5874010519681996, 0, 0, 0,
])

/** The cube root of x, also of a negative one. */
export function cbrt(x: number): number {
  const magnitude = Math.abs(x)
  if (!(magnitude >= NORMAL_MIN && magnitude < Infinity)) return +cbrtRare(x)
  const word = highWord(x)
  const e = ((word >>> 20) & 0x7ff) - 1023
  // ⌊e/3⌋ by a product: 21846/65536 is a third, near enough for every exponent. 1074 is 3·358.
  const q = (((e + 1074) * 21846) >> 16) - 358
  const near = cbrtNear(magnitude * pow2(0 - e))
  const root = near * (ROOTS[e - 3 * q + 3 * (word >>> 31)] as number)
  // Leaves 16 bits after the point.
  const t = root + 103079215104 - 103079215104
  const cube = t * t * t
  const d = (x * pow2(0 - 3 * q) - cube) / cube
  const rest = t * d * (1 / 3 - d * (1 / 9 - d * (5 / 81 - d * (10 / 243))))
  return (t + rest) * pow2(q)
}

/** ∛f for f between 1 and 2: minimax, wrong by less than 2^-19. */
function cbrtNear(f: number): number {
  const square = f * f
  const low = 0.47514693623890253 + 0.8317431442479309 * f
  const middle = -0.4602977267696209 + 0.19665479701360078 * f
  return low + square * (middle + square * (-0.04831832068166114 + 0.005072953325277491 * f))
}

function cbrtRare(x: number): number {
  if (Number.isNaN(x)) return NaN
  if (x === 0 || Math.abs(x) === Infinity) return x
  // 2^54 lifts every subnormal among the normal doubles, and 2^-18 takes its root back.
  return cbrt(x * 18014398509481984) * 0.000003814697265625
}
