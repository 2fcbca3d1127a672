/**
 * Arithmetic on unevaluated sums of two doubles, about 104 bits. The tables of `dmath` are made with
 * it at load: a table of numbers out of nowhere would be longer and harder to believe.
 *
 * Allocates, so nothing here is called after loading.
 */

/** high + low, where high is the double nearest to the sum. */
export type Pair = readonly [high: number, low: number]

/** Veltkamp's constant, 2^27 + 1: cuts a double into two halves whose products are exact. */
const SPLITTER = 134217729

/** a + b as a pair, exactly (Knuth). */
export function sumOf(a: number, b: number): Pair {
  const sum = a + b
  const bPart = sum - a
  return [sum, a - (sum - bPart) + (b - bPart)]
}

/** a · b as a pair, exactly (Dekker), barring overflow and underflow. */
export function productOf(a: number, b: number): Pair {
  const aScaled = a * SPLITTER
  const aHigh = aScaled - (aScaled - a)
  const aLow = a - aHigh
  const bScaled = b * SPLITTER
  const bHigh = bScaled - (bScaled - b)
  const bLow = b - bHigh
  const product = a * b
  return [product, aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)]
}

/** a + b, to about 2^-104 of the larger. */
export function addPairs(a: Pair, b: Pair): Pair {
  const [high, low] = sumOf(a[0], b[0])
  return sumOf(high, low + a[1] + b[1])
}

/** -a. */
export function negatePair(a: Pair): Pair {
  return [-a[0], -a[1]]
}

/** a · b, to about 2^-102. */
export function multiplyPairs(a: Pair, b: Pair): Pair {
  const [high, low] = productOf(a[0], b[0])
  return sumOf(high, low + (a[0] * b[1] + a[1] * b[0]))
}

/** a ÷ b for plain doubles, to about 2^-104. */
export function quotientOf(a: number, b: number): Pair {
  const quotient = a / b
  const [high, low] = productOf(quotient, b)
  // a - high is exact, because quotient · b is within an ulp of a.
  return sumOf(quotient, (a - high - low) / b)
}

/**
 * atanh t for sign = 1, atan t for sign = -1: t + s·t³/3 + t⁵/5 + …, for |t| < 1/40.
 *
 * All but t is done in single doubles: it is below t³/3, so the error is below 2^-70, and a table
 * made of 256 such steps is still good to 2^-63.
 */
export function smallArc(t: Pair, sign: 1 | -1): Pair {
  const z = sign * t[0] * t[0]
  const rest = z * (1 / 3 + z * (1 / 5 + z * (1 / 7 + z * (1 / 9 + z * (1 / 11)))))
  return sumOf(t[0], t[1] + t[0] * rest)
}
