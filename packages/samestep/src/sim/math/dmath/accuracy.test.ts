import { expect, test } from 'vitest'
import { errorOf, findFall, functions, worstError } from '../testing/accuracy.ts'
import type { FunctionName } from '../testing/arguments.ts'
import { FUNCTION_NAMES, TestRandom } from '../testing/arguments.ts'

/** The promised limits in ulp. */
const LIMITS: Partial<Record<FunctionName, number>> = { pow: 2, sinh: 2, cosh: 2, tanh: 2 }

/** Per function; some thousand reach every distribution and every row of every table. */
const COUNT = 4000

test.each(FUNCTION_NAMES)('%s is within its limit over the whole range', (name) => {
  const worst = worstError(name, COUNT, 0x5a3e57e9)
  const limit = LIMITS[name] ?? 1
  expect(worst.error, `at (${worst.arguments.join(', ')})`).toBeLessThanOrEqual(limit)
})

test('hypot of three and of more arguments is within its limit', () => {
  const random = new TestRandom(5)
  for (let index = 0; index < COUNT; index++) {
    const x = random.pattern(-1020, 1000)
    const values = [x, x * random.between(-2, 2), x * random.pattern(-20, 3)]
    if (index % 2 === 0) values.push(x * random.between(-1, 1), x * random.between(-1, 1))
    expect(errorOf('hypot', ...values), `at (${values.join(', ')})`).toBeLessThanOrEqual(1)
  }
})

test('the limits that the comments claim hold too', () => {
  const claimed: Partial<Record<FunctionName, number>> = {
    atan2: 0.6,
    cbrt: 0.51,
    log2: 0.55,
    log10: 0.55,
  }
  for (const [name, limit] of Object.entries(claimed)) {
    expect(worstError(name as FunctionName, COUNT, 77).error, name).toBeLessThanOrEqual(limit)
  }
})

/** Where a formula hands over to another, or a table to its next row. */
const SEAMS: Partial<Record<FunctionName, readonly number[]>> = {
  sin: [7.450580596923828e-9, 0.0613592315154256, 0.0859029241215959, -0.5, 0.7],
  tan: [7.450580596923828e-9, 0.0613592315154256, 0.5, 1.5, -1],
  asin: [0.5, -0.5, 0.9, 0.99999],
  atan: [0.00390625, 255, 1, -3, 0.75, 256],
  exp: [0, 0.0027076061740622863, 1, -1, 708, -708, 20],
  expm1: [0.0625, -0.0625, 44, -0.5, 1e-15],
  log: [1, 0.687, 1.374, 2, 1.00390625, 0.998046875],
  log1p: [0.00390625, 1, -0.001953125, -0.5],
  log2: [1, 2, 0.5, 1.00390625],
  log10: [1, 10, 1000, 1.00390625],
  cbrt: [1, 2, 8, -27, 1e300],
  sinh: [1, 22, -1, 7.450580596923828e-9],
  tanh: [7.450580596923828e-9, 0.01, 0.55, 1, -0.3],
}

test.each(Object.entries(SEAMS))('%s does not fall across its seams', (name, points) => {
  const f = functions[name as FunctionName]
  for (const point of points) {
    expect(findFall(f, point === 0 ? 5e-320 : point, 500), `around ${point}`).toBeUndefined()
  }
})
