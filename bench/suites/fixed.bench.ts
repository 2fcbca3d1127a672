import { FixedPoint } from '@hastom/fixed-point'
import { Decimal } from 'decimal.js'
import { fixedMath } from '../../packages/samestep/src/sim/math/fixed.ts'
import type { Prepared, Suite } from '../types.ts'

/** Pairs of operands: few enough for the first-level cache, so that arithmetic is what is timed. */
const pairs = 1024

/** Decimal places that come nearest to 16 binary ones, for packages that count in tens. */
const decimalPlaces = 5

/** A tiny generator: the same operands in every run. */
function makeWords(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return state
  }
}

/**
 * Operands in every form that a contender wants, before the clock starts. Products fit, as they do in
 * a game: magnitudes up to 128 and 256, no zero.
 */
function makeOperands() {
  const word = makeWords(1)
  const a = Int32Array.from({ length: pairs }, () => (word() >> 8) | 1)
  const b = Int32Array.from({ length: pairs }, () => (word() >> 7) | 1)
  const toDouble = (units: Int32Array) => Float64Array.from(units, (unit) => unit / 65_536)
  const toDecimal = (units: Int32Array) =>
    Array.from(units, (unit) => new Decimal(unit).div(65_536).toDecimalPlaces(decimalPlaces))
  const toBase = (units: Int32Array) =>
    Array.from(units, (unit) => BigInt(Math.round((unit / 65_536) * 10 ** decimalPlaces)))
  return {
    a,
    b,
    aDouble: toDouble(a),
    bDouble: toDouble(b),
    aDecimal: toDecimal(a),
    bDecimal: toDecimal(b),
    aBase: toBase(a),
    bPoint: toBase(b).map((base) => new FixedPoint(base, decimalPlaces)),
    out: new Int32Array(pairs),
    outDouble: new Float64Array(pairs),
  }
}

function prepareMul(): Prepared {
  const { a, b, aDouble, bDouble, aDecimal, bDecimal, aBase, bPoint, out, outDouble } =
    makeOperands()
  const places = BigInt(decimalPlaces)
  return {
    contenders: {
      'double ×': () => {
        for (let i = 0; i < pairs; i++) outDouble[i] = aDouble[i]! * bDouble[i]!
        return outDouble
      },
      'fixed.mul': () => {
        for (let i = 0; i < pairs; i++) out[i] = fixedMath.mul(a[i]!, b[i]!)
        return out
      },
      BigInt: () => {
        for (let i = 0; i < pairs; i++) out[i] = Number((BigInt(a[i]!) * BigInt(b[i]!)) >> 16n)
        return out
      },
      '@hastom/fixed-point': () => {
        let last: FixedPoint | undefined
        for (let i = 0; i < pairs; i++) last = new FixedPoint(aBase[i]!, places).mul(bPoint[i]!)
        return last
      },
      'decimal.js': () => {
        let last: Decimal | undefined
        for (let i = 0; i < pairs; i++) {
          last = aDecimal[i]!.times(bDecimal[i]!).toDecimalPlaces(decimalPlaces)
        }
        return last
      },
    },
  }
}

function prepareDiv(): Prepared {
  const { a, b, aDouble, bDouble, aDecimal, bDecimal, aBase, bPoint, out, outDouble } =
    makeOperands()
  const places = BigInt(decimalPlaces)
  return {
    contenders: {
      'double ÷': () => {
        for (let i = 0; i < pairs; i++) outDouble[i] = aDouble[i]! / bDouble[i]!
        return outDouble
      },
      'fixed.div': () => {
        for (let i = 0; i < pairs; i++) out[i] = fixedMath.div(a[i]!, b[i]!)
        return out
      },
      BigInt: () => {
        for (let i = 0; i < pairs; i++) out[i] = Number((BigInt(a[i]!) << 16n) / BigInt(b[i]!))
        return out
      },
      '@hastom/fixed-point': () => {
        let last: FixedPoint | undefined
        for (let i = 0; i < pairs; i++) last = new FixedPoint(aBase[i]!, places).div(bPoint[i]!)
        return last
      },
      'decimal.js': () => {
        let last: Decimal | undefined
        for (let i = 0; i < pairs; i++) {
          last = aDecimal[i]!.div(bDecimal[i]!).toDecimalPlaces(decimalPlaces)
        }
        return last
      },
    },
  }
}

/** A function of one number against its double twin. */
function prepareUnary(
  fixedName: string,
  run: (a: number) => number,
  doubleName: string,
  runDouble: (a: number) => number,
): Prepared {
  const { a, aDouble, out, outDouble } = makeOperands()
  for (let i = 0; i < pairs; i++) {
    a[i] = Math.abs(a[i]!)
    aDouble[i] = Math.abs(aDouble[i]!)
  }
  return {
    contenders: {
      [doubleName]: () => {
        for (let i = 0; i < pairs; i++) outDouble[i] = runDouble(aDouble[i]!)
        return outDouble
      },
      [fixedName]: () => {
        for (let i = 0; i < pairs; i++) out[i] = run(a[i]!)
        return out
      },
    },
  }
}

function prepareSqrt(): Prepared {
  const { a, aDouble, aDecimal, out, outDouble } = makeOperands()
  return {
    contenders: {
      'Math.sqrt': () => {
        for (let i = 0; i < pairs; i++) outDouble[i] = Math.sqrt(Math.abs(aDouble[i]!))
        return outDouble
      },
      'fixed.sqrt': () => {
        for (let i = 0; i < pairs; i++) out[i] = fixedMath.sqrt(Math.abs(a[i]!))
        return out
      },
      'decimal.js': () => {
        let last: Decimal | undefined
        for (let i = 0; i < pairs; i++) {
          last = aDecimal[i]!.abs().sqrt().toDecimalPlaces(decimalPlaces)
        }
        return last
      },
    },
  }
}

function prepareAtan2(): Prepared {
  const { a, b, aDouble, bDouble, out, outDouble } = makeOperands()
  return {
    contenders: {
      'Math.atan2': () => {
        for (let i = 0; i < pairs; i++) outDouble[i] = Math.atan2(aDouble[i]!, bDouble[i]!)
        return outDouble
      },
      'fixed.atan2': () => {
        for (let i = 0; i < pairs; i++) out[i] = fixedMath.atan2(a[i]!, b[i]!)
        return out
      },
    },
  }
}

function prepareLength(): Prepared {
  const { a, b, aDouble, bDouble, out, outDouble } = makeOperands()
  return {
    contenders: {
      'Math.hypot': () => {
        for (let i = 0; i < pairs; i++) outDouble[i] = Math.hypot(aDouble[i]!, bDouble[i]!)
        return outDouble
      },
      'double √(x² + y²)': () => {
        for (let i = 0; i < pairs; i++) {
          const x = aDouble[i]!
          const y = bDouble[i]!
          outDouble[i] = Math.sqrt(x * x + y * y)
        }
        return outDouble
      },
      'fixed.length': () => {
        for (let i = 0; i < pairs; i++) out[i] = fixedMath.length(a[i]!, b[i]!)
        return out
      },
      'fixed.length, far': () => {
        // Shifted to where a double has no exact square any more.
        for (let i = 0; i < pairs; i++) out[i] = fixedMath.length(a[i]! << 6, b[i]! << 5)
        return out
      },
    },
  }
}

/** Q16.16 numbers against doubles, BigInt and the fixed-point packages that can be installed. */
export const suites: readonly Suite[] = [
  {
    name: 'fixed mul',
    work: '1024 products of Q16.16 numbers, rounded and saturated',
    baseline: 'double ×',
    targets: [
      { of: 'fixed.mul', against: 'double ×', atMost: 3.5 },
      { of: 'fixed.mul', against: 'BigInt', atMost: 1 },
      { of: 'fixed.mul', against: '@hastom/fixed-point', atMost: 1 },
      { of: 'fixed.mul', against: 'decimal.js', atMost: 1 },
    ],
    prepare: prepareMul,
  },
  {
    name: 'fixed div',
    work: '1024 quotients of Q16.16 numbers, rounded and saturated',
    baseline: 'double ÷',
    targets: [
      { of: 'fixed.div', against: 'double ÷', atMost: 3.5 },
      { of: 'fixed.div', against: 'BigInt', atMost: 1 },
      { of: 'fixed.div', against: '@hastom/fixed-point', atMost: 1 },
      { of: 'fixed.div', against: 'decimal.js', atMost: 1 },
    ],
    prepare: prepareDiv,
  },
  {
    name: 'fixed sqrt',
    work: '1024 square roots',
    baseline: 'Math.sqrt',
    targets: [
      { of: 'fixed.sqrt', against: 'Math.sqrt', atMost: 3.5 },
      { of: 'fixed.sqrt', against: 'decimal.js', atMost: 1 },
    ],
    prepare: prepareSqrt,
  },
  {
    name: 'fixed sin',
    work: '1024 sines, correctly rounded',
    baseline: 'Math.sin',
    targets: [{ of: 'fixed.sin', against: 'Math.sin', atMost: 1 }],
    prepare: () => prepareUnary('fixed.sin', fixedMath.sin, 'Math.sin', Math.sin),
  },
  {
    name: 'fixed cos',
    work: '1024 cosines, correctly rounded',
    baseline: 'Math.cos',
    targets: [{ of: 'fixed.cos', against: 'Math.cos', atMost: 1 }],
    prepare: () => prepareUnary('fixed.cos', fixedMath.cos, 'Math.cos', Math.cos),
  },
  {
    name: 'fixed atan2',
    work: '1024 directions of vectors',
    baseline: 'Math.atan2',
    targets: [{ of: 'fixed.atan2', against: 'Math.atan2', atMost: 1.2 }],
    prepare: prepareAtan2,
  },
  {
    name: 'fixed length',
    work: '1024 lengths of vectors, to the nearest unit',
    baseline: 'double √(x² + y²)',
    targets: [{ of: 'fixed.length', against: 'Math.hypot', atMost: 1 }],
    prepare: prepareLength,
  },
]
