import { expect, test } from 'vitest'
import { errorOf } from '../testing/accuracy.ts'
import { stepsFrom } from '../testing/arguments.ts'
import { HALF_PI_FIXED, PI_FRACTION } from '../testing/reference.ts'
import { cos, sin, tan } from './trig.ts'

/**
 * Doubles m·2^exponent that come as close to a multiple of π/2 as any with an m of up to 53 bits: the
 * denominators of the continued fraction of 2^exponent ÷ π/2.
 */
function hardestAngles(exponent: number): number[] {
  const angles: number[] = []
  let numerator = 1n << BigInt(PI_FRACTION + exponent)
  let denominator = HALF_PI_FIXED
  let before = 1n
  let m = 0n
  while (denominator !== 0n) {
    const next = (numerator / denominator) * m + before
    if (next >= 1n << 53n) break
    before = m
    m = next
    const rest = numerator % denominator
    numerator = denominator
    denominator = rest
    if (m > 0n) angles.push(Number(m) * 2 ** exponent)
  }
  return angles.slice(-2)
}

test('the angles closest to multiples of π/2, of every size, lose nothing', () => {
  let worst = 0
  for (let exponent = -60; exponent <= 970; exponent += 3) {
    for (const angle of hardestAngles(exponent)) {
      worst = Math.max(worst, errorOf('sin', angle), errorOf('cos', angle), errorOf('tan', angle))
    }
  }
  expect(worst).toBeLessThan(0.8)
})

test('the closest of all, at 2^-61, is among them', () => {
  expect(hardestAngles(797)).toContain(6381956970095103 * 2 ** 797)
  expect(cos(6381956970095103 * 2 ** 797)).toBe(-4.687165924254628e-19)
})

test('huge angles have known sines', () => {
  expect(sin(1e22)).toBe(-0.8522008497671888)
  expect(cos(1e22)).toBe(0.523214785395139)
  expect(tan(1e22)).toBe(-1.6287782256068988)
  expect(sin(Number.MAX_VALUE)).toBe(0.004961954789184062)
  expect(cos(Number.MAX_VALUE)).toBe(-0.9999876894265599)
})

test('the doubles nearest to multiples of π/2 keep their small sines', () => {
  expect(sin(Math.PI)).toBe(1.2246467991473532e-16)
  expect(sin(2 * Math.PI)).toBe(-2.4492935982947064e-16)
  expect(cos(Math.PI / 2)).toBe(6.123233995736766e-17)
  expect(tan(Math.PI)).toBe(-1.2246467991473532e-16)
  expect(tan(Math.PI / 2)).toBe(16331239353195370)
})

test('both reductions agree to an ulp where one hands over to the other', () => {
  for (let step = -200; step <= 200; step++) {
    const angle = stepsFrom(262144, step)
    expect(errorOf('sin', angle)).toBeLessThan(1)
    expect(errorOf('cos', -angle)).toBeLessThan(1)
    expect(errorOf('tan', angle)).toBeLessThan(1)
  }
})
