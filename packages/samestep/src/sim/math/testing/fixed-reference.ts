/**
 * The slow, obvious truth about Q16.16 numbers, in BigInt. It shares no idea with the code under
 * test: integers of any size, one rounding at the end.
 */

const maxUnits = 2n ** 31n - 1n
const minUnits = -(2n ** 31n)

/** Clamps to int32 and gives a number. */
export function saturate(units: bigint): number {
  return Number(units > maxUnits ? maxUnits : units < minUnits ? minUnits : units)
}

/** `numerator / denominator` to the nearest integer, ties to even. */
export function divideToNearest(numerator: bigint, denominator: bigint): bigint {
  if (denominator < 0n) return divideToNearest(-numerator, -denominator)
  let quotient = numerator / denominator
  if (quotient * denominator > numerator) quotient -= 1n
  const rest2 = 2n * (numerator - quotient * denominator)
  if (rest2 > denominator || (rest2 === denominator && quotient % 2n !== 0n)) quotient += 1n
  return quotient
}

/** The largest integer whose square is not above `square`, by Newton's method from above. */
export function rootDown(square: bigint): bigint {
  if (square < 2n) return square
  let root = (BigInt(Math.ceil(Math.sqrt(Number(square)))) * 1_000_001n) / 1_000_000n + 1n
  for (;;) {
    const better = (root + square / root) >> 1n
    if (better >= root) return root
    root = better
  }
}

/** The root to the nearest integer. A tie cannot occur: (k + ½)² is no integer. */
export function rootToNearest(square: bigint): bigint {
  const root = rootDown(square)
  return square > root * root + root ? root + 1n : root
}

/** Bits behind the point of the high-precision sines. */
export const sineBits = 128n

/** One in that precision. */
export const sineOne = 1n << sineBits

/** arctan(1 / n) by its series. */
function arctanInverse(n: bigint): bigint {
  let power = sineOne / n
  let sum = power
  for (let k = 3n; power !== 0n; k += 2n) {
    power = -power / (n * n)
    sum += power / k
  }
  return sum
}

/** π by Machin's formula, wrong by some units of 2^-128. */
export const sinePi = 4n * (4n * arctanInverse(5n) - arctanInverse(239n))

/** Sine and cosine of an angle in radians, given and returned in {@link sineBits}. */
export function sinCos(angle: bigint): { sin: bigint; cos: bigint } {
  const turn = 2n * sinePi
  let rest = angle % turn
  if (rest > sinePi) rest -= turn
  if (rest < -sinePi) rest += turn
  let term = sineOne
  let cos = 0n
  let sin = 0n
  for (let k = 1n; term !== 0n; k += 2n) {
    cos += term
    term = (term * rest) / sineOne / k
    sin += term
    term = (-term * rest) / sineOne / (k + 1n)
  }
  return { sin, cos }
}

/** An angle in 65536ths of a radian, in {@link sineBits}. */
export function fromUnits(units: number): bigint {
  return BigInt(units) << (sineBits - 16n)
}

/** A value in {@link sineBits} to the nearest 65536th. */
export function toUnits(value: bigint): number {
  return Number(divideToNearest(value, 1n << (sineBits - 16n)))
}
