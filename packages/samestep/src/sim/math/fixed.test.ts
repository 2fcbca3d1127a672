import { expect, test } from 'vitest'
import * as all from './fixed.ts'
import { Cases, edges } from './testing/fixed-cases.ts'

const { fixedMath, ...named } = all

test('fixedMath holds every exported name, and nothing else', () => {
  expect({ ...fixedMath }).toEqual({ ...named })
})

test('every function gives int32 numbers and never -0, for every pair of edges', () => {
  const out = { x: 0, y: 0 }
  const isInt32 = (value: number): boolean => Object.is(value | 0, value)
  const { from, fromInt, toNumber, isWithin, compareLengths, normaliseInto, ...rest } = fixedMath
  const functions = Object.entries(rest).filter((entry) => typeof entry[1] === 'function') as [
    string,
    (...args: number[]) => number,
  ][]
  expect(functions.length).toBeGreaterThanOrEqual(25)
  const cases = new Cases(99)
  for (const a of edges) {
    for (const b of edges) {
      const c = cases.next()
      for (const [name, run] of functions) {
        const value = run(a, b, c, a)
        if (!isInt32(value)) expect.fail(`${name}(${a}, ${b}, ${c}, ${a}) gave ${value}`)
      }
      if (!isInt32(normaliseInto(a, b, out)) || !isInt32(out.x) || !isInt32(out.y))
        expect.fail(`normaliseInto(${a}, ${b}) gave (${out.x}, ${out.y})`)
    }
  }
  // These three take or give something else than fixed numbers; their own tests cover them.
  expect([from(1), fromInt(1), toNumber(65_536)]).toEqual([65_536, 65_536, 1])
  expect([isWithin(0, 0, 0, 0, 0), compareLengths(0, 0, 0, 0)]).toEqual([true, 0])
})
