import { expect, test } from 'vitest'
import { findFall } from './accuracy.ts'
import { FUNCTION_NAMES, stepsFrom, TestRandom } from './arguments.ts'
import type { Big } from './big-float.ts'
import {
  add,
  fromDouble,
  magnitudeOf,
  multiply,
  ONE,
  root,
  scale,
  subtract,
  toFixedPoint,
  ulpError,
} from './big-float.ts'
import { HALF_PI, LN_2, LN_10, reference } from './reference.ts'

/** The first digits after the point, from published tables. */
const DIGITS: readonly [string, Big, string][] = [
  ['π/2 - 1', subtract(HALF_PI, ONE), '57079632679489661923132169163975144209858469968755291'],
  ['ln 2', LN_2, '69314718055994530941723212145817656807550013436025525'],
  [
    'ln 10 - 2',
    subtract(LN_10, fromDouble(2)),
    '30258509299404568401799145468436420760110148862877297',
  ],
  ['sin 1', reference.sin(1), '84147098480789650665250232163029899962256306079837106'],
  ['cos 1', reference.cos(1), '54030230586813971740093660744297660373231042061792222'],
  [
    'tan 1 - 1',
    subtract(reference.tan(1), ONE),
    '55740772465490223050697480745836017308725077238152003',
  ],
  [
    'e - 2',
    subtract(reference.exp(1), fromDouble(2)),
    '71828182845904523536028747135266249775724709369995957',
  ],
  [
    '√2 - 1',
    subtract(root(fromDouble(2), 2), ONE),
    '41421356237309504880168872420969807856967187537694807',
  ],
  [
    '∛2 - 1',
    subtract(reference.cbrt(2), ONE),
    '25992104989487316476721060727822835057025146470150798',
  ],
  [
    'sinh 1 - 1',
    subtract(reference.sinh(1), ONE),
    '17520119364380145688238185059560081515571798133409587',
  ],
  [
    'cosh 1 - 1',
    subtract(reference.cosh(1), ONE),
    '54308063481524377847790562075706168260152911236586370',
  ],
  ['tanh 1', reference.tanh(1), '76159415595576488811945828260479359041276859725793655'],
  ['log10 2', reference.log10(2), '30102999566398119521373889472449302676818988146210854'],
]

test.each(DIGITS)('the reference gives the published digits of %s', (_name, value, digits) => {
  const scaled = (toFixedPoint(value, 256) * 10n ** 53n) >> 256n
  const expected = BigInt(digits)
  const distance = scaled > expected ? scaled - expected : expected - scaled
  expect(distance).toBeLessThanOrEqual(1n)
})

test('the reference reduces the worst angle of all doubles to its published rest', () => {
  // 6381956970095103 · 2^797 (Muller, Elementary Functions).
  const cosine = reference.cos(6381956970095103 * 2 ** 797)
  expect(ulpError(-4.687165924254628e-19, cosine)).toBeLessThan(1)
})

test.each<[string, Big, Big]>([
  ['ln 8 = 3·ln 2', reference.log(8), multiply(fromDouble(3), LN_2)],
  ['ln(1 + 7) = ln 8', reference.log1p(7), reference.log(8)],
  ['log2 8 = 3', reference.log2(8), fromDouble(3)],
  ['log10 1000 = 3', reference.log10(1000), fromDouble(3)],
  ['asin 1/2 = π/6', multiply(reference.asin(0.5), fromDouble(3)), HALF_PI],
  ['acos 1/2 = π/3', multiply(reference.acos(0.5), fromDouble(3)), scale(HALF_PI, 1)],
  ['atan 1 = π/4', scale(reference.atan(1), 1), HALF_PI],
  ['atan2(1, -1) = 3π/4', scale(reference.atan2(1, -1), 1), multiply(HALF_PI, fromDouble(3))],
  ['(e - 1) + 1 = e', add(reference.expm1(1), ONE), reference.exp(1)],
  ['2^10 = 1024', reference.pow(2, 10), fromDouble(1024)],
  ['(-3)^3 = -27', reference.pow(-3, 3), fromDouble(-27)],
  ['|(2, 3, 6)| = 7', reference.hypot(2, 3, 6), fromDouble(7)],
])('the reference knows that %s, to 240 bits', (_name, left, right) => {
  expect(magnitudeOf(subtract(left, right)) - magnitudeOf(right)).toBeLessThan(-240)
})

test('an error is counted in units of the last place, also at the edges of the doubles', () => {
  expect(ulpError(1, ONE)).toBe(0)
  expect(ulpError(1 + 2 ** -52, ONE)).toBe(1)
  expect(ulpError(3 * 2 ** -1074, scale(ONE, -1074))).toBe(2)
  expect(ulpError(0, scale(ONE, -1075))).toBe(0.5)
  expect(ulpError(Infinity, scale(ONE, 1024))).toBe(0)
  expect(ulpError(Infinity, fromDouble(Number.MAX_VALUE))).toBe(1)
  expect(ulpError(Number.NaN, ONE)).toBe(Infinity)
  expect(ulpError(-1, ONE)).toBe(2 ** 50)
})

test('steps go from double to double, away from zero', () => {
  expect(stepsFrom(1, 1)).toBe(1 + Number.EPSILON)
  expect(stepsFrom(-1, -1)).toBe(-1 + Number.EPSILON / 2)
})

test('a fall between neighbours is found', () => {
  expect(findFall((x) => x, 1, 20)).toBeUndefined()
  expect(findFall((x) => (x > 1 ? -x : x), 1, 20)).toBe(1 + Number.EPSILON)
  expect(findFall((x) => (x > -1 ? -5 : x), -1, 20)).toBeDefined()
})

test('a seed gives the same arguments for ever', () => {
  const random = new TestRandom(42)
  expect([random.u32(), random.u32(), random.u32()]).toEqual([3910449320, 736605932, 420310035])
  expect(FUNCTION_NAMES).toHaveLength(19)
})
