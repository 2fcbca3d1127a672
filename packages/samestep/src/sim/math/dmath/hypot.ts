/**
 * The length of a vector.
 *
 * Squares are summed with the errors of their roundings (Dekker, Knuth), so the sum is as good as
 * rounded once, and the root halves that: the error stays below 0.9 ulp. Lengths whose squares would
 * leave the range of a double are scaled by a power of two first.
 */
import { highWord, pow2 } from './bits.ts'

/** Veltkamp's constant, 2^27 + 1: cuts a double into halves of 26 bits. */
const SPLITTER = 134217729

/** Between these sums of magnitudes, squares and the errors of their roundings are exact enough. */
const SUM_MIN = 1e-130
const SUM_MAX = 1e130

/**
 * The square root of the sum of squares, without overflow on the way. Infinity when any argument is
 * infinite, even beside NaN, as ECMAScript says.
 */
export function hypot(x: number, y: number, z = 0, ...more: readonly number[]): number {
  const sum = Math.abs(x) + Math.abs(y) + Math.abs(z)
  // `more` is only indexed here, never handed on, so that engines need not make it.
  if (more.length === 0 && sum > SUM_MIN && sum < SUM_MAX) {
    return z === 0 ? lengthOfTwo(x, y) : lengthOfThree(x, y, z)
  }
  startSquares()
  measure(x)
  measure(y)
  measure(z)
  for (let index = 0; index < more.length; index++) measure(more[index] as number)
  const exponent = exponentOfLargest()
  const scale = pow2(-exponent)
  addSquare(x * scale)
  addSquare(y * scale)
  addSquare(z * scale)
  for (let index = 0; index < more.length; index++) addSquare((more[index] as number) * scale)
  return finishSquares(exponent)
}

/** x² minus its rounded value. */
function squareError(x: number, square: number): number {
  const scaled = x * SPLITTER
  const high = scaled - (scaled - x)
  const low = x - high
  return high * high - square + 2 * high * low + low * low
}

function lengthOfTwo(x: number, y: number): number {
  const a = x * x
  const b = y * y
  const sum = a + b
  const bPart = sum - a
  const error = a - (sum - bPart) + (b - bPart)
  return Math.sqrt(sum + (error + (squareError(x, a) + squareError(y, b))))
}

function lengthOfThree(x: number, y: number, z: number): number {
  const a = x * x
  const b = y * y
  const c = z * z
  const first = a + b
  const bPart = first - a
  const sum = first + c
  const cPart = sum - first
  const error = a - (first - bPart) + (b - bPart) + (first - (sum - cPart) + (c - cPart))
  return Math.sqrt(sum + (error + (squareError(x, a) + squareError(y, b) + squareError(z, c))))
}

/** Of any number of squares: the largest magnitude, the sum, its error, and 1 after a NaN. */
const state = new Float64Array(4)

function startSquares(): void {
  state.fill(0)
}

function measure(value: number): void {
  const magnitude = Math.abs(value)
  if (magnitude > (state[0] as number)) state[0] = magnitude
  if (Number.isNaN(value)) state[3] = 1
}

function exponentOfLargest(): number {
  return ((highWord(state[0] as number) >>> 20) & 0x7ff) - 1023
}

function addSquare(value: number): void {
  const square = value * value
  const before = state[1] as number
  const sum = before + square
  const part = sum - before
  state[1] = sum
  state[2] =
    (state[2] as number) + (before - (sum - part) + (square - part)) + squareError(value, square)
}

function finishSquares(exponent: number): number {
  if (state[0] === Infinity) return Infinity
  if (state[3] === 1) return NaN
  return Math.sqrt((state[1] as number) + (state[2] as number)) * pow2(exponent)
}
