/**
 * What `dmath` should answer, to about 240 bits: series over integers, nothing of any `Math`.
 *
 * Every function keeps its relative precision for tiny results: a series is evaluated as x·(1 + …),
 * with only the bracket in fixed point.
 */
import type { Big } from './big-float.ts'
import {
  absolute,
  add,
  addExactly,
  divide,
  fromDouble,
  fromInteger,
  magnitudeOf,
  makeBig,
  multiply,
  negate,
  ONE,
  root,
  roundToInteger,
  scale,
  shift,
  subtract,
  toFixedPoint,
  ZERO,
} from './big-float.ts'

/** Bits after the point in the brackets. */
const FRACTION = 300
const UNIT = 1n << BigInt(FRACTION)

/** Bits after the point in π: an angle of 2^1024 loses 1024 of them. */
export const PI_FRACTION = 1500

function fixedMultiply(a: bigint, b: bigint): bigint {
  return (a * b) >> BigInt(FRACTION)
}

/** 1/n - s/(3n³) + 1/(5n⁵) - …: arctangent (s = 1) or its hyperbolic sister (s = -1) of 1/n. */
function inverseSeries(n: bigint, s: bigint, fraction: number): bigint {
  let power = (1n << BigInt(fraction)) / n
  let sum = 0n
  for (let odd = 1n; power !== 0n; odd += 2n) {
    sum += power / odd
    power = (-s * power) / (n * n)
  }
  return sum
}

// Machin: π/4 = 4·atan(1/5) - atan(1/239). Guard bits swallow the roundings of the series.
/** π/2 in units of 2^-PI_FRACTION. */
export const HALF_PI_FIXED: bigint =
  (2n *
    (4n * inverseSeries(5n, 1n, PI_FRACTION + 20) - inverseSeries(239n, 1n, PI_FRACTION + 20))) >>
  20n
/** π/2. */
export const HALF_PI: Big = makeBig(HALF_PI_FIXED, -PI_FRACTION)
/** π. */
export const PI: Big = scale(HALF_PI, 1)
/** ln 2 = 2·atanh(1/3). */
export const LN_2: Big = makeBig(2n * inverseSeries(3n, -1n, FRACTION), -FRACTION)
/** ln 10 = 3·ln 2 + ln(10/8) = 3·ln 2 + 2·atanh(1/9). */
export const LN_10: Big = add(
  multiply(fromInteger(3), LN_2),
  makeBig(2n * inverseSeries(9n, -1n, FRACTION), -FRACTION),
)

/** e^x - 1 for any x that a double holds. */
function bigExpm1(x: Big): Big {
  if (x.mantissa === 0n) return ZERO
  if (magnitudeOf(x) >= -2) return subtract(bigExp(x), ONE)
  // x · (1 + x/2 + x²/6 + …)
  const t = toFixedPoint(x, FRACTION)
  let term = UNIT
  let sum = UNIT
  for (let n = 2n; term !== 0n && term !== -1n; n++) {
    term = fixedMultiply(term, t) / n
    sum += term
  }
  return multiply(x, makeBig(sum, -FRACTION))
}

/** e^x. */
export function bigExp(x: Big): Big {
  const turns = roundToInteger(divide(x, LN_2))
  const rest = subtract(x, multiply({ mantissa: turns, exponent: 0 }, LN_2))
  // Sixteen squarings for a series that needs a third of the terms.
  const t = toFixedPoint(rest, FRACTION) >> 16n
  let term = UNIT
  let sum = UNIT
  for (let n = 1n; term !== 0n && term !== -1n; n++) {
    term = fixedMultiply(term, t) / n
    sum += term
  }
  for (let squaring = 0; squaring < 16; squaring++) sum = fixedMultiply(sum, sum)
  return makeBig(sum, Number(turns) - FRACTION)
}

/** 2·atanh(t) = 2t·(1 + t²/3 + t⁴/5 + …), for |t| < 1/5; and with s = -1, 2·atan(t). */
function twiceSeries(t: Big, s: 1n | -1n): Big {
  if (t.mantissa === 0n) return ZERO
  const square = s * toFixedPoint(multiply(t, t), FRACTION)
  let power = UNIT
  let sum = UNIT
  for (let odd = 3n; power !== 0n && power !== -1n; odd += 2n) {
    power = fixedMultiply(power, square)
    sum += power / odd
  }
  return scale(multiply(t, makeBig(sum, -FRACTION)), 1)
}

/** ln(1 + rest)= 2·atanh(rest/(2 + rest)), for a value near 1. */
function logNearOne(rest: Big): Big {
  return twiceSeries(divide(rest, addExactly(rest, fromInteger(2))), 1n)
}

/** ln x for x > 0. */
export function bigLog(x: Big): Big {
  let exponent = magnitudeOf(x)
  let significand = scale(x, -exponent)
  if (significand.mantissa * 5n > shift(7n, -significand.exponent)) {
    exponent++
    significand = scale(significand, -1)
  }
  const near = logNearOne(addExactly(significand, negate(ONE)))
  return exponent === 0 ? near : add(multiply(fromInteger(exponent), LN_2), near)
}

/** sin(r)/r if first = 1, cos(r) if first = 0, for |r| ≤ π/4. */
function circularBracket(r: Big, first: 0n | 1n): Big {
  const square = toFixedPoint(multiply(r, r), FRACTION)
  let term = UNIT
  let sum = UNIT
  for (let n = first + 2n; term !== 0n && term !== -1n; n += 2n) {
    term = -fixedMultiply(term, square) / (n * (n - 1n))
    sum += term
  }
  return makeBig(sum, -FRACTION)
}

/** sin(x + quarters·π/2). */
export function bigSine(x: Big, quarters: bigint): Big {
  let turned = quarters
  let rest = x
  if (magnitudeOf(x) >= -1) {
    const angle = toFixedPoint(x, PI_FRACTION)
    // Rounded to the nearest multiple.
    const whole = (2n * angle + HALF_PI_FIXED) / (2n * HALF_PI_FIXED)
    const floor = 2n * angle + HALF_PI_FIXED < 0n ? whole - 1n : whole
    turned += floor
    rest = makeBig(angle - floor * HALF_PI_FIXED, -PI_FRACTION)
  }
  const odd = (turned & 1n) === 1n
  const value = odd ? circularBracket(rest, 0n) : multiply(rest, circularBracket(rest, 1n))
  return (turned & 2n) === 0n ? value : negate(value)
}

/** atan(t) for t ≥ 0. */
function bigAtan(t: Big): Big {
  if (t.mantissa === 0n) return ZERO
  if (magnitudeOf(t) >= 1) return subtract(HALF_PI, bigAtan(divide(ONE, t)))
  // tan(a/2) = t / (1 + √(1 + t²)), three times: the series then gains 6 bits per term.
  let small = t
  for (let halving = 0; halving < 3; halving++) {
    small = divide(small, add(ONE, root(add(ONE, multiply(small, small)), 2)))
  }
  return scale(twiceSeries(small, -1n), 2)
}

function withSign(negative: boolean, magnitude: Big): Big {
  return negative ? negate(magnitude) : magnitude
}

function atan2Exact(y: number, x: number): Big {
  const upper = fromDouble(Math.abs(y))
  const right = fromDouble(Math.abs(x))
  const first = right.mantissa === 0n ? HALF_PI : bigAtan(divide(upper, right))
  return withSign(y < 0, x < 0 ? subtract(PI, first) : first)
}

/** √(1 - x²) for |x| ≤ 1. */
function cosineOf(x: Big): Big {
  return root(multiply(addExactly(ONE, x), addExactly(ONE, negate(x))), 2)
}

function asinExact(x: number): Big {
  const sine = fromDouble(Math.abs(x))
  const angle = Math.abs(x) === 1 ? HALF_PI : bigAtan(divide(sine, cosineOf(sine)))
  return withSign(x < 0, angle)
}

function acosExact(x: number): Big {
  const cosine = fromDouble(x)
  if (x === 0) return HALF_PI
  const angle = bigAtan(divide(cosineOf(cosine), absolute(cosine)))
  return x < 0 ? subtract(PI, angle) : angle
}

function powExact(x: number, y: number): Big {
  const magnitude = bigExp(multiply(fromDouble(y), bigLog(fromDouble(Math.abs(x)))))
  return withSign(x < 0 && Math.abs(y % 2) === 1, magnitude)
}

function hypotExact(...values: number[]): Big {
  let sum = ZERO
  for (const value of values) {
    const big = fromDouble(value)
    sum = addExactly(sum, { mantissa: big.mantissa * big.mantissa, exponent: 2 * big.exponent })
  }
  return root(sum, 2)
}

function sinhExact(x: Big): Big {
  return scale(subtract(bigExpm1(x), bigExpm1(negate(x))), -1)
}

function coshExact(x: Big): Big {
  return scale(add(bigExp(x), bigExp(negate(x))), -1)
}

function tanhExact(x: Big): Big {
  // Beyond this the result is 1 minus less than 2^-140, and e^2x would be as large as it is useless.
  if (magnitudeOf(x) >= 6) return withSign(x.mantissa < 0n, ONE)
  return divide(sinhExact(x), coshExact(x))
}

function log1pExact(x: number): Big {
  const big = fromDouble(x)
  return Math.abs(x) < 0.25 ? logNearOne(big) : bigLog(addExactly(ONE, big))
}

/** Exact values for finite arguments inside the domain, with a result that is not an infinity. */
export const reference = {
  sin: (x: number): Big => bigSine(fromDouble(x), 0n),
  cos: (x: number): Big => bigSine(fromDouble(x), 1n),
  tan: (x: number): Big => divide(bigSine(fromDouble(x), 0n), bigSine(fromDouble(x), 1n)),
  asin: asinExact,
  acos: acosExact,
  atan: (x: number): Big => withSign(x < 0, bigAtan(fromDouble(Math.abs(x)))),
  atan2: atan2Exact,
  exp: (x: number): Big => bigExp(fromDouble(x)),
  expm1: (x: number): Big => bigExpm1(fromDouble(x)),
  log: (x: number): Big => bigLog(fromDouble(x)),
  log1p: log1pExact,
  log2: (x: number): Big => divide(bigLog(fromDouble(x)), LN_2),
  log10: (x: number): Big => divide(bigLog(fromDouble(x)), LN_10),
  pow: powExact,
  cbrt: (x: number): Big => withSign(x < 0, root(fromDouble(Math.abs(x)), 3)),
  hypot: hypotExact,
  sinh: (x: number): Big => sinhExact(fromDouble(x)),
  cosh: (x: number): Big => coshExact(fromDouble(x)),
  tanh: (x: number): Big => tanhExact(fromDouble(x)),
} as const
