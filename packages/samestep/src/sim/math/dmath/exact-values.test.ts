import { expect, test, vi } from 'vitest'
import { functions } from '../testing/accuracy.ts'
import { drawArguments, FUNCTION_NAMES, TestRandom } from '../testing/arguments.ts'
import * as dmath from './index.ts'

test('sin, cos and exp of zero are exact', () => {
  expect(dmath.sin(0)).toBe(0)
  expect(dmath.cos(0)).toBe(1)
  expect(dmath.exp(0)).toBe(1)
  expect(dmath.cosh(0)).toBe(1)
})

test('log2 of every power of two is its exponent', () => {
  for (let exponent = -1074; exponent <= 1023; exponent++) {
    expect(dmath.log2(2 ** exponent)).toBe(exponent)
  }
})

test('log10 of every power of ten that a double holds exactly is its exponent', () => {
  for (let exponent = 0; exponent <= 22; exponent++) {
    expect(dmath.log10(Number(`1e${exponent}`))).toBe(exponent)
  }
})

test('pow of small integers is exact as long as the result is a safe integer', () => {
  for (let base = 2; base <= 30; base++) {
    let product = 1n
    for (let exponent = 0; product <= BigInt(Number.MAX_SAFE_INTEGER); exponent++) {
      expect(dmath.pow(base, exponent), `${base}^${exponent}`).toBe(Number(product))
      const signed = exponent % 2 === 0 ? product : -product
      expect(dmath.pow(-base, exponent), `(-${base})^${exponent}`).toBe(Number(signed))
      product *= BigInt(base)
    }
  }
})

test('pow of two gives every power of two, subnormals too, and rounds half of the last to zero', () => {
  for (let exponent = -1074; exponent <= 1023; exponent++) {
    expect(dmath.pow(2, exponent)).toBe(2 ** exponent)
  }
  expect(dmath.pow(2, 1024)).toBe(Infinity)
  expect(dmath.pow(2, -1075)).toBe(0)
  expect(dmath.pow(4, 0.5)).toBe(2)
  expect(dmath.pow(1024, 0.1)).toBe(2)
})

test('cbrt of a cube is its root', () => {
  for (let root = -2000; root <= 2000; root++) expect(dmath.cbrt(root * root * root)).toBe(root)
  for (let exponent = -358; exponent <= 341; exponent++) {
    expect(dmath.cbrt(2 ** (3 * exponent))).toBe(2 ** exponent)
  }
})

test('hypot of a Pythagorean triple or quadruple is exact', () => {
  expect(dmath.hypot(3, 4)).toBe(5)
  expect(dmath.hypot(-5, 12)).toBe(13)
  expect(dmath.hypot(2, 3, 6)).toBe(7)
  expect(dmath.hypot(1, -2, 2)).toBe(3)
  expect(dmath.hypot(2, 4, 5, 6)).toBe(9)
  expect(dmath.hypot(1, 1, 1, 1, 1, 1, 1, 1, 1)).toBe(3)
})

test('hypot neither overflows nor underflows on the way', () => {
  expect(dmath.hypot(3e300, 4e300)).toBe(5e300)
  expect(dmath.hypot(3 * 2 ** -1070, 4 * 2 ** -1070)).toBe(5 * 2 ** -1070)
  expect(dmath.hypot(3 * 2 ** 1000, 4 * 2 ** 1000, 0, 0)).toBe(5 * 2 ** 1000)
  expect(dmath.hypot(Number.MAX_VALUE, 0)).toBe(Number.MAX_VALUE)
  expect(dmath.hypot(Number.MAX_VALUE, Number.MAX_VALUE)).toBe(Infinity)
  expect(dmath.hypot(5e-324, 0)).toBe(5e-324)
})

test('hypot depends neither on signs nor on the sequence of two arguments', () => {
  const random = new TestRandom(3)
  for (let index = 0; index < 500; index++) {
    const x = random.pattern(-200, 200)
    const y = random.pattern(-200, 200)
    expect(dmath.hypot(-x, y)).toBe(dmath.hypot(x, y))
    expect(dmath.hypot(y, x)).toBe(dmath.hypot(x, y))
  }
})

const ODD = ['sin', 'tan', 'asin', 'atan', 'cbrt', 'sinh', 'tanh'] as const

test.each(ODD)('%s is odd', (name) => {
  const random = new TestRandom(11)
  const limit = name === 'asin' ? -1 : 1000
  for (let index = 0; index < 1000; index++) {
    const x = random.pattern(-1023, limit)
    expect(functions[name](-x)).toBe(-functions[name](x))
  }
})

test.each(['cos', 'cosh'] as const)('%s is even', (name) => {
  const random = new TestRandom(12)
  for (let index = 0; index < 1000; index++) {
    const x = random.pattern(-1023, 1000)
    expect(functions[name](-x)).toBe(functions[name](x))
  }
})

test('atan2 mirrors at the x axis', () => {
  const random = new TestRandom(13)
  for (let index = 0; index < 1000; index++) {
    const x = random.pattern(-30, 30)
    const y = random.pattern(-30, 30)
    expect(dmath.atan2(-y, x)).toBe(-dmath.atan2(y, x))
  }
})

test('no result leaves the range of its function', () => {
  const random = new TestRandom(14)
  for (let index = 0; index < 5000; index++) {
    const x = random.pattern(-30, 900)
    expect(Math.abs(dmath.sin(x))).toBeLessThanOrEqual(1)
    expect(Math.abs(dmath.cos(x))).toBeLessThanOrEqual(1)
    expect(Math.abs(dmath.tanh(x))).toBeLessThanOrEqual(1)
    expect(Math.abs(dmath.atan(x))).toBeLessThanOrEqual(Math.PI / 2)
    expect(Math.abs(dmath.atan2(x, random.pattern(-30, 900)))).toBeLessThanOrEqual(Math.PI)
  }
})

test('nothing is left to the engine: no function of Math is called that may differ', () => {
  const random = new TestRandom(15)
  for (const name of FUNCTION_NAMES) {
    vi.spyOn(Math, name).mockImplementation(() => {
      throw new Error(`Math.${name} was called`)
    })
  }
  try {
    for (const name of FUNCTION_NAMES) {
      for (let index = 0; index < 300; index++) {
        expect(functions[name](...drawArguments(name, random))).toBeTypeOf('number')
      }
    }
  } finally {
    vi.restoreAllMocks()
  }
})
