import { expect, test } from 'vitest'
import { bitsOfError } from '../testing/accuracy.ts'
import { divide, fromDouble, multiply } from '../testing/big-float.ts'
import { bigExp, bigSine, HALF_PI, LN_2, reference } from '../testing/reference.ts'
import { makeArctangents } from './atan-table.ts'
import { POWERS_OF_TWO } from './bits.ts'
import { makeRootsOfTwo } from './exp-table.ts'
import { makeLogarithms } from './log-table.ts'
import { makeSines } from './trig-table.ts'

test('powers of two are the powers of two', () => {
  expect(POWERS_OF_TWO.length).toBe(1074 + 1024)
  POWERS_OF_TWO.forEach((power, index) => {
    expect(power).toBe(2 ** (index - 1074))
  })
})

test('sines of the steps of a circle are good to 2^-90', () => {
  const table = makeSines()
  expect(table.length).toBe(4 * 256)
  for (let k = 0; k < 256; k++) {
    const angle = divide(multiply(fromDouble(k), HALF_PI), fromDouble(64))
    const [sine = NaN, sineLow = NaN, cosine, cosineLow] = table.subarray(4 * k, 4 * k + 4)
    if (k % 128 === 0) expect([Math.abs(sine), Math.abs(sineLow)]).toEqual([0, 0])
    else expect(bitsOfError(sine, sineLow, bigSine(angle, 0n)), `row ${k}`).toBeLessThan(-90)
    const turned = 4 * ((k + 64) % 256)
    expect(cosine).toBe(table[turned])
    expect(cosineLow).toBe(table[turned + 1])
  }
})

test('roots of two are good to 2^-90', () => {
  const table = makeRootsOfTwo()
  expect(table.length).toBe(2 * 128)
  for (let i = 0; i < 128; i++) {
    const exact = bigExp(divide(multiply(fromDouble(i), LN_2), fromDouble(128)))
    const [root = NaN, low = NaN] = table.subarray(2 * i, 2 * i + 2)
    expect(bitsOfError(root, low, exact), `row ${i}`).toBeLessThan(-90)
  }
})

test('logarithms belong to short reciprocals and are good to 2^-69', () => {
  const table = makeLogarithms()
  expect(table.length).toBe(4 * 128)
  for (let i = 0; i < 128; i++) {
    const [c = NaN, first = NaN, second = NaN] = table.subarray(4 * i, 4 * i + 3)
    expect(Number.isInteger(c * 1024)).toBe(true)
    expect(Number.isInteger(first * 2 ** 42)).toBe(true)
    if (c === 1) expect([first, second]).toEqual([0, 0])
    else expect(bitsOfError(-first, -second, reference.log(c)), `row ${i}`).toBeLessThan(-69)
  }
})

test('a reciprocal brings its interval within 0.0045 of 1, and only one is 1', () => {
  const table = makeLogarithms()
  const borders = new DataView(new ArrayBuffer(8))
  const borderOf = (i: number) => {
    borders.setUint32(0, 0x3fe5f000 + i * 0x2000)
    return borders.getFloat64(0)
  }
  let ones = 0
  for (let i = 0; i < 128; i++) {
    const c = table[4 * i] as number
    if (c === 1) ones++
    expect(Math.abs(borderOf(i) * c - 1)).toBeLessThan(0.0045)
    expect(Math.abs(borderOf(i + 1) * c - 1)).toBeLessThan(0.0045)
  }
  expect(ones).toBe(1)
})

test('arctangents belong to short ratios and are good to 2^-65', () => {
  const table = makeArctangents()
  expect(table.length).toBe(4 * 256 + 16)
  for (let i = 0; i < 256; i++) {
    const [angle = NaN, low = NaN, ratio = NaN] = table.subarray(4 * i, 4 * i + 3)
    // At most 12 bits: a multiple of 2^-11 of the power of two below.
    expect(Number.isInteger(ratio * 2 ** (11 - Math.floor(i / 16 - 8 + 1 / 32)))).toBe(true)
    expect(bitsOfError(angle, low, reference.atan(ratio)), `row ${i}`).toBeLessThan(-65)
  }
})
