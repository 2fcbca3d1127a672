/** Comparing `dmath` with the reference. */
import * as dmath from '../dmath/index.ts'
import type { FunctionName } from './arguments.ts'
import { drawArguments, stepsFrom, TestRandom } from './arguments.ts'
import type { Big } from './big-float.ts'
import { addExactly, fromDouble, magnitudeOf, negate, ulpError } from './big-float.ts'
import { reference } from './reference.ts'

/** The largest error of a run, and where it was. */
export type Worst = { readonly error: number; readonly arguments: readonly number[] }

/** Any of the functions, whatever its number of arguments. */
export type AnyFunction = (...values: number[]) => number
type AnyReference = (...values: number[]) => Big

/** The functions of `dmath`, to be chosen by name. */
export const functions: Readonly<Record<FunctionName, AnyFunction>> = { ...dmath }

/** The error of one call in ulp. The result must be finite in exact arithmetic. */
export function errorOf(name: FunctionName, ...values: number[]): number {
  const actual = functions[name](...values)
  return ulpError(actual, (reference[name] as AnyReference)(...values))
}

/** The largest error over arguments drawn from the function's distributions. */
export function worstError(name: FunctionName, count: number, seed: number): Worst {
  const random = new TestRandom(seed)
  let worst: Worst = { error: 0, arguments: [] }
  for (let index = 0; index < count; index++) {
    const values = drawArguments(name, random)
    const error = errorOf(name, ...values)
    if (!(error <= worst.error)) worst = { error, arguments: values }
  }
  return worst
}

/** Which power of two the relative error of high + low is below. */
export function bitsOfError(high: number, low: number, exact: Big): number {
  const sum = addExactly(fromDouble(high), fromDouble(low))
  if (exact.mantissa === 0n) return sum.mantissa === 0n ? -Infinity : Infinity
  return magnitudeOf(addExactly(sum, negate(exact))) - magnitudeOf(exact)
}

/** Where f, said not to fall, falls between two neighbours of the `count` doubles around `middle`. */
export function findFall(
  f: (x: number) => number,
  middle: number,
  count: number,
): number | undefined {
  const sign = middle < 0 ? -1 : 1
  let before = f(stepsFrom(middle, -count * sign))
  for (let step = -count + 1; step <= count; step++) {
    const x = stepsFrom(middle, step * sign)
    const value = f(x)
    if (value < before) return x
    before = value
  }
  return undefined
}
