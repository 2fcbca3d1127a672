/**
 * Logarithms.
 *
 *     x = 2^e · m,  m·c = 1 + r,  c ≈ 1/m from a table,  |r| < 0.0045
 *     ln x = (e·ln 2 - ln c + r) + (ln(1 + r) - r)
 *
 * The first bracket is exact: e·ln 2 and ln c have first parts of 42 bits after the point, and r has
 * an upper part of 32, because m is cut in two before it is multiplied with the 11 bits of c. All
 * else is below 1/4000, so its roundings are worth 0.02 ulp. Around 1, c is 1 and e is 0, so nothing
 * cancels there.
 *
 * e and the row of c come from the upper word of x minus that of the first interval's border, 0.687:
 * the bits from the 20th on are e, the seven below the row, which is four doubles wide.
 */
import { highWord, pow2 } from './bits.ts'
import { makeLogarithms } from './log-table.ts'

/** Rows of c, -ln c in two parts, and a gap, for 128 intervals of m. */
const LOGARITHMS = /* @__PURE__ */ makeLogarithms()

/** What lifts every subnormal among the normal doubles, as a factor and as its logarithm. */
export const LIFT = 18014398509481984
export const LIFT_BITS = 54

/** The natural logarithm of x. -Infinity for 0, NaN for less. */
export const log: (x: number) => number = /* @__PURE__ */ makeLog()

function makeLog(): typeof log {
  const logarithms = LOGARITHMS
  return (x) => {
    // Subnormals go elsewhere too.
    if (!(x >= 2.2250738585072014e-308 && x < Infinity)) return +logRare(x)
    const word = highWord(x) - 0x3fe5f000
    const e = word >> 20
    const row = (word >> 11) & 0x1fc
    const m = x * pow2(0 - e)
    const mHigh = headOf(m)
    const c = logarithms[row] as number
    const high = mHigh * c - 1
    const low = (m - mHigh) * c
    const r = high + low
    const small = (logarithms[row + 2] as number) + r * r * (cubicAndUp(r) * r - 0.5)
    // ln 2 in two parts: the product of the first with any exponent is exact.
    const first = e * 0.6931471805598903 + (logarithms[row + 1] as number) + high
    return first + (low + (e * 5.497923018708371e-14 + small))
  }
}

function logRare(x: number): number {
  if (!(x > 0 && x < Infinity)) return logOutside(x)
  splitLog(x * LIFT, 0, LIFT_BITS)
  return joinLog()
}

/** The logarithm to any base, where it is no number: of 0, of what is below, of Infinity and NaN. */
export function logOutside(x: number): number {
  return x === 0 ? -Infinity : x > 0 ? Infinity : NaN
}

/** The natural logarithm of 1 + x, exact to the last bits also where 1 + x would lose them. */
export function log1p(x: number): number {
  const magnitude = Math.abs(x)
  // Below 2^-54 it rounds to x.
  if (magnitude < 5.551115123125783e-17) return x
  const sum = 1 + x
  if (!(sum > 0 && sum < Infinity)) return +logOutside(sum)
  splitLog(sum, magnitude < 1 ? x - (sum - 1) : 1 - (sum - x), 0)
  return joinLog()
}

/** e·ln 2 + ln m, from the last {@link splitLog}. */
function joinLog(): number {
  const e = logParts[0] as number
  const first = logParts[1] as number
  const whole = e * 0.6931471805598903
  const sum = whole + first
  return sum + (whole - sum + first + (e * 5.497923018708371e-14 + (logParts[2] as number)))
}

/** m, which is near 1, rounded to 22 bits after the point. */
function headOf(m: number): number {
  return m + 1610612736 - 1610612736
}

/** (ln(1 + r) - r + r²/2) / r³ for |r| < 0.0045: Taylor's, wrong by less than 2^-65 of r. */
function cubicAndUp(r: number): number {
  const square = r * r
  return 1 / 3 - r * (1 / 4) + square * (1 / 5 - r * (1 / 6) + square * (1 / 7 - r * (1 / 8)))
}

/** Of the last {@link splitLog}: e, and ln m in two parts, where x + low = 2^e · m. */
export const logParts: Float64Array = new Float64Array(3)

/**
 * Sets {@link logParts} for (x + low) · 2^-lift, where x is normal and low is below an ulp of x.
 *
 * The same as in `log`, but with r²/2 in two parts as well: 2^-68 of the result is what `pow` needs
 * when it multiplies by a thousand.
 */
export const splitLog: (x: number, low: number, lift: number) => void =
  /* @__PURE__ */ makeSplitLog()

function makeSplitLog(): typeof splitLog {
  const logarithms = LOGARITHMS
  const parts = logParts
  return (x, low, lift) => {
    const word = highWord(x) - 0x3fe5f000
    const e = word >> 20
    const row = (word >> 11) & 0x1fc
    const scale = pow2(0 - e)
    const m = x * scale
    const mHigh = headOf(m)
    const c = logarithms[row] as number
    const rHigh = mHigh * c - 1
    const rLow = (m - mHigh + low * scale) * c
    const r = rHigh + rLow
    // r² = rHigh² + rLow·(rHigh + r): rHigh has 25 bits, so its square is exact.
    const first = (logarithms[row + 1] as number) + rHigh
    const square = 0.5 * rHigh * rHigh
    const rest = r * r * r * cubicAndUp(r) - 0.5 * rLow * (rHigh + r)
    // Two fast two-sums: each sum's first operand is the larger, or zero.
    const upper = first - square
    const high = upper + rLow
    const lost = first - upper - square + (upper - high + rLow)
    parts[0] = e - lift
    parts[1] = high
    parts[2] = lost + ((logarithms[row + 2] as number) + rest)
  }
}
