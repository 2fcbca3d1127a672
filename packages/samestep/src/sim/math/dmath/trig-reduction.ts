/**
 * Subtracting multiples of π/2 from an angle so that the small rest keeps all its bits.
 *
 * A rest near zero is what is left when nearly all digits cancel: among all doubles the smallest
 * one is about 2^-62, so the multiple must be known to more than 2^-120. Two ways:
 *
 *   |x| < 2^18   x - q·π/2 with π/2 in four parts, the products of the first three exact (Cody, Waite)
 *   beyond       x·(2/π) modulo 4 from only those digits of 2/π that matter (Payne, Hanek)
 *
 * Results go to {@link rest}: a function cannot return two doubles without allocating.
 */
import { highWord, pow2 } from './bits.ts'

/** The rest of the last reduction: rest[0] + rest[1], where rest[1] is below an ulp of rest[0]. */
export const rest: Float64Array = new Float64Array(2)

/** π/2 in parts of 34, 33, 33 and 53 bits. A multiplier of up to 18 bits leaves three exact. */
const HALF_PI_1 = 1.570796326850541
const HALF_PI_2 = -5.5644316763895155e-11
const HALF_PI_3 = 2.0222662487111665e-21
const HALF_PI_4 = 8.4784276603689e-32

/** Sets {@link rest} to x - quarters·π/2, for |x| < 2^18 and a rest that is small. */
export function reduceByQuarters(x: number, quarters: number): void {
  // Exact: both are multiples of the same power of two and nearly equal.
  const first = x - quarters * HALF_PI_1
  const b = -quarters * HALF_PI_2
  const sum = first + b
  const bPart = sum - first
  const error = first - (sum - bPart) + (b - bPart)
  const c = -quarters * HALF_PI_3
  const total = sum + c
  const cPart = total - sum
  const tail = sum - (total - cPart) + (c - cPart) + (error - quarters * HALF_PI_4)
  const high = total + tail
  rest[0] = high
  rest[1] = total - high + tail
}

/** Digits of 2/π in base 2^24, the first worth 2^-24. An x of 2^1023 reads the 49th. */
const TWO_OVER_PI = [
  0xa2f983, 0x6e4e44, 0x1529fc, 0x2757d1, 0xf534dd, 0xc0db62, 0x95993c, 0x439041, 0xfe5163,
  0xabdebb, 0xc561b7, 0x246e3a, 0x424dd2, 0xe00649, 0x2eea09, 0xd1921c, 0xfe1deb, 0x1cb129,
  0xa73ee8, 0x8235f5, 0x2ebb44, 0x84e99c, 0x7026b4, 0x5f7e41, 0x3991d6, 0x398353, 0x39f49c,
  0x845f8b, 0xbdf928, 0x3b1ff8, 0x97ffde, 0x05980f, 0xef2f11, 0x8b5a0a, 0x6d1f6d, 0x367ecf,
  0x27cb09, 0xb74f46, 0x3f669e, 0x5fea2d, 0x7527ba, 0xc7ebe5, 0xf17b3d, 0x0739f7, 0x8a5292,
  0xea6bfb, 0x5fb11f, 0x8d5d08, 0x560330,
] as const

const BASE = 16777216

/** Columns of the product that are summed: eight leave an error below 2^-140 of a quarter. */
const COLUMNS = 8
const columns = new Float64Array(COLUMNS)

/**
 * Sets {@link rest} to the distance of a large finite x ≥ 2^18 from the nearest multiple of π/2, and
 * returns that multiple modulo 4.
 *
 *     x   = (a0 + a1·2^-24 + a2·2^-48) · 2^e      three digits
 *     2/π =  f1·2^-24 + f2·2^-48 + …              as many as needed
 *
 * The product's column c is worth 2^(e-24c). Columns worth a multiple of 4 are whole turns: the sum
 * starts behind them, and ends when the rest has its 53 + 62 bits and some more.
 */
export function reduceLarge(x: number): number {
  const exponent = (highWord(x) >>> 20) - 1023 - 23
  const scaled = x * pow2(-exponent)
  const a0 = Math.floor(scaled)
  const scaled1 = (scaled - a0) * BASE
  const a1 = Math.floor(scaled1)
  const a2 = (scaled1 - a1) * BASE

  const columnFirst = Math.floor((exponent - 2) / 24) + 1
  // Sums of three products of 24-bit digits, plus a carry, stay below 2^51: exact.
  let carry = 0
  for (let index = COLUMNS - 1; index >= 0; index--) {
    const column = columnFirst + index
    const sum = a0 * digit(column) + a1 * digit(column - 1) + a2 * digit(column - 2) + carry
    carry = index === 0 ? 0 : Math.floor(sum / BASE)
    columns[index] = sum - carry * BASE
  }

  // 2^weight is worth of the first column, between 2^-22 and 2^1; each following is 2^-24 of it.
  const weight = exponent - 24 * columnFirst
  const unit = pow2(weight)
  const modulus = 4 / unit
  const top = columns[0] as number
  const whole = (top - Math.floor(top / modulus) * modulus) * unit
  const unit1 = unit / BASE
  const leading = whole + (columns[1] as number) * unit1
  const quarters = Math.floor(leading + 0.5)
  // Two columns fit a double exactly, so the fraction is four exact parts.
  const part0 = leading - quarters
  const part1 = pairOfColumns(2) * (unit1 / BASE)
  const part2 = pairOfColumns(4) * (unit1 / (BASE * BASE * BASE))
  const part3 = pairOfColumns(6) * (unit1 / (BASE * BASE * BASE * BASE * BASE))
  const sum = part0 + part1
  const part1Back = sum - part0
  const tail = part0 - (sum - part1Back) + (part1 - part1Back) + part2 + part3
  const high = sum + tail
  multiplyByHalfPi(high, sum - high + tail)
  return quarters & 3
}

/** Digit of 2/π worth 2^(-24·place); there are none before the point. */
function digit(place: number): number {
  return place < 1 ? 0 : (TWO_OVER_PI[place - 1] as number)
}

/** Two columns as one 48-bit number, in units of the first. */
function pairOfColumns(index: number): number {
  return (columns[index] as number) + (columns[index + 1] as number) / BASE
}

/** π/2 to 106 bits, and the first part in halves of 26 bits. */
const HALF_PI_HIGH = 1.5707963267948966
const HALF_PI_LOW = 6.123233995736766e-17
const HALF_PI_UPPER = 1.5707963407039642
const HALF_PI_LOWER = -1.3909067675399456e-8

/** Veltkamp's constant, 2^27 + 1: cuts a double into halves of 26 bits. */
const SPLITTER = 134217729

/** Sets {@link rest} to (high + low)·π/2, to about 2^-104 of it. */
function multiplyByHalfPi(high: number, low: number): void {
  const scaled = high * SPLITTER
  const upper = scaled - (scaled - high)
  const lower = high - upper
  const product = high * HALF_PI_HIGH
  const error =
    lower * HALF_PI_LOWER -
    (product - upper * HALF_PI_UPPER - lower * HALF_PI_UPPER - upper * HALF_PI_LOWER)
  const tail = error + (high * HALF_PI_LOW + low * HALF_PI_HIGH)
  const sum = product + tail
  rest[0] = sum
  rest[1] = product - sum + tail
}
