/**
 * Logarithms to the bases 2 and 10.
 *
 * ln m in two parts is multiplied by 1/ln 2 (or 1/ln 10) in two parts, and e (or e·log10 2) is added
 * with its rounding error kept, so only the last addition rounds visibly. Powers of the base come out
 * as integers: what is computed before that rounding is within 0.05 ulp of them.
 */
import { LIFT, LIFT_BITS, logOutside, logParts, splitLog } from './log.ts'

/** The logarithm to base 2. Exact for powers of two; -Infinity for 0, NaN for less. */
export function log2(x: number): number {
  if (!(x >= 2.2250738585072014e-308 && x < Infinity)) return +log2Rare(x)
  splitLog(x, 0, 0)
  return log2OfParts()
}

function log2Rare(x: number): number {
  if (!(x > 0 && x < Infinity)) return logOutside(x)
  splitLog(x * LIFT, 0, LIFT_BITS)
  return log2OfParts()
}

function log2OfParts(): number {
  // 1/ln 2: 26 bits, so that products with 26 bits are exact, and the rest.
  return convertedLog(logParts[0] as number, 0, 1.4426950514316559, -1.0542692476429138e-8)
}

/** The logarithm to base 10. Exact for powers of ten; -Infinity for 0, NaN for less. */
export function log10(x: number): number {
  if (!(x >= 2.2250738585072014e-308 && x < Infinity)) return +log10Rare(x)
  splitLog(x, 0, 0)
  return log10OfParts()
}

function log10Rare(x: number): number {
  if (!(x > 0 && x < Infinity)) return logOutside(x)
  splitLog(x * LIFT, 0, LIFT_BITS)
  return log10OfParts()
}

function log10OfParts(): number {
  // log10 2: 41 bits, so that products with an exponent are exact, and the rest.
  const whole = (logParts[0] as number) * 0.3010299956640665
  const wholeLow = (logParts[0] as number) * -8.532344317057107e-14
  // 1/ln 10 as above.
  return convertedLog(whole, wholeLow, 0.4342944845557213, -2.6524694553078553e-9)
}

/** whole + wholeLow + ln m · (per + perLow). */
function convertedLog(whole: number, wholeLow: number, per: number, perLow: number): number {
  const first = logParts[1] as number
  const second = logParts[2] as number
  const ln = first + second
  const lnLow = first - ln + second
  // 2^27 + 1 cuts a double into halves (Veltkamp), whose products are exact.
  const scaled = ln * 134217729
  const upper = scaled - (scaled - ln)
  const lower = ln - upper
  const product = upper * per
  const small = lower * per + (ln * perLow + lnLow * per)
  // Fast two-sum: whole is zero or the larger.
  const sum = whole + product
  return sum + (whole - sum + product + (small + wholeLow))
}
