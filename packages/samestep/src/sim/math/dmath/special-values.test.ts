import { expect, test } from 'vitest'
import type { AnyFunction } from '../testing/accuracy.ts'
import { functions } from '../testing/accuracy.ts'
import type { FunctionName } from '../testing/arguments.ts'
import { FUNCTION_NAMES } from '../testing/arguments.ts'
import * as dmath from './index.ts'

const MIN = 5e-324
const MAX = Number.MAX_VALUE

/** For these, ECMAScript prescribes the result of every function, or it is NaN. */
const ARGUMENTS = [NaN, 0, -0, Infinity, -Infinity]

const UNARY = FUNCTION_NAMES.filter((name) => !['atan2', 'pow', 'hypot'].includes(name))

/** -0 and 0 are shown as what they are. */
function show(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

test.each(UNARY)('%s gives what Math gives for NaN, zeros and infinities', (name) => {
  for (const x of ARGUMENTS) {
    expect(show(functions[name](x)), `of ${show(x)}`).toBe(show((Math[name] as AnyFunction)(x)))
  }
})

test.each<[FunctionName, number, number]>([
  ['asin', 1.0000000000000002, NaN],
  ['asin', -2, NaN],
  ['asin', 1, Math.PI / 2],
  ['asin', -1, -Math.PI / 2],
  ['acos', 1.0000000000000002, NaN],
  ['acos', -1.5, NaN],
  ['acos', 1, 0],
  ['acos', -1, Math.PI],
  ['atan', MAX, Math.PI / 2],
  ['atan', -MAX, -Math.PI / 2],
  ['exp', 709.782712893384, 1.7976931348622732e308],
  ['exp', 709.7827128933841, Infinity],
  ['exp', -745.1332191019411, MIN],
  ['exp', -745.1332191019412, 0],
  ['exp', MAX, Infinity],
  ['exp', -MAX, 0],
  ['expm1', MAX, Infinity],
  ['expm1', -MAX, -1],
  ['log', -MIN, NaN],
  ['log', 1, 0],
  ['log', MIN, -744.4400719213812],
  ['log1p', -1, -Infinity],
  ['log1p', -1.0000000000000002, NaN],
  ['log2', -1, NaN],
  ['log2', 1, 0],
  ['log10', -1, NaN],
  ['log10', 1, 0],
  ['sinh', 710.4758600739439, 1.7976931348621744e308],
  ['sinh', 710.475860073944, Infinity],
  ['sinh', -710.475860073944, -Infinity],
  ['cosh', -710.475860073944, Infinity],
  ['tanh', 22, 1],
  ['tanh', -MAX, -1],
])('%s(%d) is %d', (name, x, expected) => {
  expect(show(functions[name](x))).toBe(show(expected))
})

const EDGES = [NaN, 0, -0, 1, -1, Infinity, -Infinity]

test('atan2 gives what Math gives for every pair of zeros, ones and infinities', () => {
  for (const y of EDGES) {
    for (const x of EDGES) {
      expect(show(dmath.atan2(y, x)), `of (${show(y)}, ${show(x)})`).toBe(show(Math.atan2(y, x)))
    }
  }
})

test('atan2 keeps the sign of a zero or of an underflow, whatever the scale', () => {
  expect(show(dmath.atan2(-MIN, MAX))).toBe('-0')
  expect(dmath.atan2(-MIN, -MAX)).toBe(-Math.PI)
  expect(dmath.atan2(MIN, MIN)).toBe(Math.PI / 4)
  expect(dmath.atan2(MAX, -MAX)).toBe((3 * Math.PI) / 4)
  expect(dmath.atan2(MAX, MIN)).toBe(Math.PI / 2)
  expect(dmath.atan2(MIN, 1)).toBe(MIN)
})

test('pow gives what Math gives for every pair of special values', () => {
  const bases = [...EDGES, 2, -2, 0.5, -0.5, -3, MAX, -MAX, MIN, -MIN]
  const exponents = [...EDGES, 2, -2, 3, -3, 0.5, -0.5, 2 ** 53, -(2 ** 53) + 1, MAX, -MAX, MIN]
  for (const x of bases) {
    for (const y of exponents) {
      // Where the result is a plain number, its last bit is nobody's to prescribe.
      const expected = x ** y
      const plain = Number.isFinite(expected) && expected !== 0 && Math.abs(expected) !== 1
      if (!plain) expect(show(dmath.pow(x, y)), `of (${show(x)}, ${y})`).toBe(show(expected))
    }
  }
})

test('hypot gives what Math gives for special values, with two, three and four arguments', () => {
  for (const x of [...EDGES, 3, 4]) {
    for (const y of EDGES) {
      expect(show(dmath.hypot(x, y))).toBe(show(Math.hypot(x, y)))
      for (const z of EDGES) {
        const message = `of (${x}, ${y}, ${z})`
        const expected = Math.hypot(x, y, z)
        if (Number.isInteger(expected) || !Number.isFinite(expected)) {
          expect(show(dmath.hypot(x, y, z)), message).toBe(show(expected))
        }
        expect(dmath.hypot(x, y, 0, z), message).toBe(dmath.hypot(x, y, z))
      }
    }
  }
})

test.each(FUNCTION_NAMES)('%s turns every NaN into the plain one', (name) => {
  const float = new Float64Array(1)
  const bits = new BigUint64Array(float.buffer)
  // Negative, with a payload. An engine may already make it plain on reading; then nothing is lost.
  bits[0] = 0xfff8_0000_dead_beefn
  const odd = float[0] as number
  const f = functions[name]
  for (const values of [[odd, odd], [odd, 2], [2, odd], [Infinity], [-Infinity]]) {
    float[0] = f(...values)
    if (Number.isNaN(float[0])) expect(bits[0], `of ${values}`).toBe(0x7ff8_0000_0000_0000n)
  }
})
