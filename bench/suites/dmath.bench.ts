/** `dmath` against `Math`, function by function, on arguments as games have them. */
import * as dmath from '../../packages/samestep/src/sim/math/dmath/index.ts'
import type { Contender, Suite } from '../types.ts'

/** Enough that no branch predictor learns them by heart, few enough to stay in the nearest cache. */
const COUNT = 4096

type Draw = (unit: () => number) => number
type Unary = (x: number) => number
type Binary = (x: number, y: number) => number
type Ternary = (x: number, y: number, z: number) => number

const between =
  (low: number, high: number): Draw =>
  (unit) =>
    low + (high - low) * unit()

/** Even in the logarithm, as prices, distances and masses are. */
const spread =
  (low: number, high: number): Draw =>
  (unit) =>
    low * (high / low) ** unit()

function makeUnit(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4294967296
  }
}

/**
 * A loop of its own for every function. Were the loop shared, the engine would see many functions
 * called at one place, inline none of them, and the table would compare calls.
 */
function makeLoop(f: Unary | Binary | Ternary, columns: readonly Float64Array[]): Contender {
  const names = columns.map((_, index) => `c${index}`)
  const call = names.map((name) => `${name}[i]`).join(', ')
  const make = new Function(
    'f',
    ...names,
    `return () => { let sum = 0; for (let i = 0; i < ${COUNT}; i++) sum += f(${call}); return sum }`,
  )
  return make(f, ...columns) as Contender
}

function makeSuite(
  name: string,
  ours: Unary | Binary | Ternary,
  theirs: Unary | Binary | Ternary,
  draws: readonly Draw[],
  atMost?: number,
): Suite {
  const of = `dmath.${name}`
  const against = `Math.${name}`
  return {
    name: `dmath ${name}`,
    work: `${COUNT} calls of ${name}`,
    baseline: against,
    ...(atMost === undefined ? {} : { targets: [{ of, against, atMost }] }),
    prepare() {
      const unit = makeUnit(0x5eed)
      const columns = draws.map((draw) => Float64Array.from({ length: COUNT }, () => draw(unit)))
      return { contenders: { [against]: makeLoop(theirs, columns), [of]: makeLoop(ours, columns) } }
    },
  }
}

/** Angles and coordinates of a game: within a thousand of zero. */
const coordinate = between(-1000, 1000)
const exponent = between(-20, 20)
const ratio = between(-1, 1)
const positive = spread(1e-3, 1e6)
const moderate = between(-4, 4)

export const suites: readonly Suite[] = [
  makeSuite('sin', dmath.sin, Math.sin, [coordinate], 1),
  makeSuite('cos', dmath.cos, Math.cos, [coordinate]),
  makeSuite('tan', dmath.tan, Math.tan, [coordinate], 3),
  makeSuite('asin', dmath.asin, Math.asin, [ratio], 3),
  makeSuite('acos', dmath.acos, Math.acos, [ratio], 3),
  makeSuite('atan', dmath.atan, Math.atan, [moderate], 3),
  makeSuite('atan2', dmath.atan2, Math.atan2, [coordinate, coordinate], 1),
  makeSuite('exp', dmath.exp, Math.exp, [exponent], 3),
  makeSuite('expm1', dmath.expm1, Math.expm1, [moderate], 3),
  makeSuite('log', dmath.log, Math.log, [positive], 3),
  makeSuite('log1p', dmath.log1p, Math.log1p, [positive], 3),
  makeSuite('log2', dmath.log2, Math.log2, [positive], 3),
  makeSuite('log10', dmath.log10, Math.log10, [positive], 3),
  makeSuite('pow', dmath.pow, Math.pow, [spread(1e-3, 1e3), moderate], 3),
  makeSuite('cbrt', dmath.cbrt, Math.cbrt, [coordinate], 3),
  makeSuite('hypot', dmath.hypot, Math.hypot, [coordinate, coordinate], 1),
  makeSuite('hypot of three', dmath.hypot, Math.hypot, [coordinate, coordinate, coordinate], 1),
  makeSuite('sinh', dmath.sinh, Math.sinh, [moderate], 3),
  makeSuite('cosh', dmath.cosh, Math.cosh, [moderate], 3),
  makeSuite('tanh', dmath.tanh, Math.tanh, [moderate], 3),
]
