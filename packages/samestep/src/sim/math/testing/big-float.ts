/**
 * Floating-point numbers with 256 bits, for tests: slow, plain, and independent of every engine's
 * `Math`. An operation is wrong by at most one unit in its 256th bit.
 */

/** mantissa · 2^exponent. */
export type Big = { readonly mantissa: bigint; readonly exponent: number }

/** A double has 53, two doubles 106: whatever is tested, this is far beyond it. */
export const PRECISION = 256

/** Zero. */
export const ZERO: Big = { mantissa: 0n, exponent: 0 }
/** One. */
export const ONE: Big = { mantissa: 1n, exponent: 0 }

/** How many bits the magnitude has. */
export function bitLength(value: bigint): number {
  const magnitude = value < 0n ? -value : value
  return magnitude === 0n ? 0 : magnitude.toString(16).length * 4 - leadingZeros(magnitude)
}

function leadingZeros(magnitude: bigint): number {
  const first = Number.parseInt(magnitude.toString(16).charAt(0), 16)
  return Math.clz32(first) - 28
}

/** Shifts left, or right (rounding down) for a negative count. */
export function shift(value: bigint, bits: number): bigint {
  return bits >= 0 ? value << BigInt(bits) : value >> BigInt(-bits)
}

/** Cut to {@link PRECISION} bits. */
export function makeBig(mantissa: bigint, exponent: number): Big {
  const excess = bitLength(mantissa) - PRECISION
  if (excess <= 0) return { mantissa, exponent }
  return { mantissa: shift(mantissa, -excess), exponent: exponent + excess }
}

const float = new Float64Array(1)
const bits = new BigUint64Array(float.buffer)

/** The exact value of a finite double. */
export function fromDouble(value: number): Big {
  if (!Number.isFinite(value)) throw new RangeError(`Not a finite number: ${value}`)
  float[0] = value
  const pattern = bits[0] as bigint
  const biased = Number((pattern >> 52n) & 0x7ffn)
  const fraction = pattern & 0xf_ffff_ffff_ffffn
  const magnitude = biased === 0 ? fraction : fraction | 0x10_0000_0000_0000n
  return {
    mantissa: pattern >> 63n === 1n ? -magnitude : magnitude,
    exponent: (biased === 0 ? 1 : biased) - 1075,
  }
}

/** The exact value of an integer. */
export function fromInteger(value: number): Big {
  return { mantissa: BigInt(value), exponent: 0 }
}

/** Which power of two is at or below |a|. Zero has none. */
export function magnitudeOf(a: Big): number {
  return a.mantissa === 0n ? -Infinity : bitLength(a.mantissa) + a.exponent - 1
}

/** a · 2^bits, exactly. */
export function scale(a: Big, by: number): Big {
  return { mantissa: a.mantissa, exponent: a.exponent + by }
}

/** -a. */
export function negate(a: Big): Big {
  return { mantissa: -a.mantissa, exponent: a.exponent }
}

/** |a|. */
export function absolute(a: Big): Big {
  return a.mantissa < 0n ? negate(a) : a
}

/** a + b without any rounding, so only for operands of comparable size. */
export function addExactly(a: Big, b: Big): Big {
  const exponent = Math.min(a.exponent, b.exponent)
  return {
    mantissa: shift(a.mantissa, a.exponent - exponent) + shift(b.mantissa, b.exponent - exponent),
    exponent,
  }
}

/** a + b. */
export function add(a: Big, b: Big): Big {
  if (a.mantissa === 0n) return b
  if (b.mantissa === 0n) return a
  // An operand that lies wholly below the other's last bit would only cost time.
  const gap = magnitudeOf(a) - magnitudeOf(b)
  if (gap > 2 * PRECISION) return a
  if (gap < -2 * PRECISION) return b
  const sum = addExactly(a, b)
  return makeBig(sum.mantissa, sum.exponent)
}

/** a - b. */
export function subtract(a: Big, b: Big): Big {
  return add(a, negate(b))
}

/** a · b. */
export function multiply(a: Big, b: Big): Big {
  return makeBig(a.mantissa * b.mantissa, a.exponent + b.exponent)
}

/** a ÷ b. */
export function divide(a: Big, b: Big): Big {
  const up = Math.max(0, PRECISION + 2 + bitLength(b.mantissa) - bitLength(a.mantissa))
  return makeBig(shift(a.mantissa, up) / b.mantissa, a.exponent - up - b.exponent)
}

/** The n-th root of a positive integer, rounded down (Newton from above). */
function integerRoot(value: bigint, n: bigint): bigint {
  let guess = 1n << (BigInt(bitLength(value)) / n + 1n)
  for (;;) {
    const next = ((n - 1n) * guess + value / guess ** (n - 1n)) / n
    if (next >= guess) return guess
    guess = next
  }
}

/** The n-th root of a ≥ 0. */
export function root(a: Big, n: 2 | 3): Big {
  if (a.mantissa === 0n) return ZERO
  let up = Math.max(0, n * (PRECISION + 2) - bitLength(a.mantissa))
  while ((a.exponent - up) % n !== 0) up++
  return makeBig(integerRoot(shift(a.mantissa, up), BigInt(n)), (a.exponent - up) / n)
}

/** Negative, zero or positive, as a is below, at or above b. */
export function compare(a: Big, b: Big): number {
  const difference = addExactly(a, negate(b)).mantissa
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** The nearest integer. */
export function roundToInteger(a: Big): bigint {
  if (a.exponent >= 0) return shift(a.mantissa, a.exponent)
  return (shift(a.mantissa, a.exponent + 1) + 1n) >> 1n
}

/** a as an integer number of 2^-fractionBits, rounded down. */
export function toFixedPoint(a: Big, fractionBits: number): bigint {
  return shift(a.mantissa, a.exponent + fractionBits)
}

/** Exponent of the last bit of a double of this size; the same for all subnormals. */
function ulpExponent(exact: Big): number {
  return Math.max(magnitudeOf(exact), -1022) - 52
}

/**
 * How far a result lies from the exact value, in units of the last place of the exact value.
 *
 * Infinity counts as 2^1024: right when the exact value rounds there, wrong by the distance if not.
 */
export function ulpError(actual: number, exact: Big): number {
  if (Number.isNaN(actual)) return Infinity
  if (exact.mantissa === 0n) return actual === 0 ? 0 : Infinity
  const last = Math.min(ulpExponent(exact), 971)
  const given = Number.isFinite(actual)
    ? fromDouble(actual)
    : { mantissa: actual > 0 ? 1n : -1n, exponent: 1024 }
  const infinite = !Number.isFinite(actual)
  if (infinite && exact.mantissa < 0n === actual < 0 && magnitudeOf(exact) >= 1024) return 0
  const difference = absolute(addExactly(given, negate(exact)))
  // Twenty bits after the point say enough; a larger error than 2^50 is just large.
  const units = toFixedPoint(difference, -last + 20)
  return bitLength(units) > 70 ? 2 ** 50 : Number(units) / 2 ** 20
}
