/**
 * Arguments for tests of `dmath`: a seeded generator, and for every function the places where such
 * functions go wrong. Nothing of `Math` but exact operations, so a seed means the same everywhere.
 */

/** A name that `dmath` and `reference` both have. */
export type FunctionName = (typeof FUNCTION_NAMES)[number]

/** All functions of `dmath`. */
export const FUNCTION_NAMES = [
  'sin',
  'cos',
  'tan',
  'asin',
  'acos',
  'atan',
  'atan2',
  'exp',
  'expm1',
  'log',
  'log1p',
  'log2',
  'log10',
  'pow',
  'cbrt',
  'hypot',
  'sinh',
  'cosh',
  'tanh',
] as const

const float = new Float64Array(1)
const bits = new BigUint64Array(float.buffer)

/** The double that is `steps` representable numbers further from zero (or nearer, if negative). */
export function stepsFrom(value: number, steps: number): number {
  float[0] = value
  bits[0] = (bits[0] as bigint) + BigInt(steps)
  return float[0] as number
}

/** The biased exponent made plain: ⌊log2 |value|⌋ for normal numbers. */
function exponentOf(value: number): number {
  float[0] = value
  return Number(((bits[0] as bigint) >> 52n) & 0x7ffn) - 1023
}

/** A xorshift generator of the test's own. */
export class TestRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0 || 1
  }

  u32(): number {
    let state = this.#state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.#state = state
    return Math.imul(state, 0x9e3779b1) >>> 0
  }

  /** An integer from 0 to count - 1. */
  below(count: number): number {
    return Math.floor((this.u32() / 4294967296) * count)
  }

  /** Evenly between two numbers, all 53 bits used. */
  between(low: number, high: number): number {
    const unit = (this.u32() * 2097152 + (this.u32() >>> 11)) / 9007199254740992
    return low + (high - low) * unit
  }

  /** Any sign and fraction, with an exponent of two from the range. */
  pattern(exponentMin: number, exponentMax: number): number {
    const exponent = exponentMin + this.below(exponentMax - exponentMin + 1)
    const biased = Math.max(exponent + 1023, 0)
    const sign = this.u32() & 0x8000_0000
    const high = BigInt((sign | (biased << 20) | (this.u32() >>> 12)) >>> 0)
    bits[0] = (high << 32n) | BigInt(this.u32())
    return float[0] as number
  }

  /** Within a few representable numbers of one of these. */
  near(...values: readonly number[]): number {
    return stepsFrom(values[this.below(values.length)] as number, this.below(9) - 4)
  }
}

function angle(random: TestRandom): number {
  switch (random.below(6)) {
    case 0:
      return random.between(-4, 4)
    case 1:
      return random.between(-1000, 1000)
    case 2:
      return random.between(-300_000, 300_000)
    case 3:
      return random.pattern(-1023, 1023)
    case 4:
      // Next to multiples of π/2, where nearly all digits cancel.
      return random.near((random.below(400_000) - 200_000) * 1.5707963267948966 || 1e-300)
    default:
      return random.pattern(-12, 40)
  }
}

function sine(random: TestRandom): number {
  const choice = random.below(4)
  if (choice === 0) return random.pattern(-1023, -1)
  if (choice === 1) return random.near(0.5, -0.5, 0.25, Math.SQRT1_2)
  // Towards 1 from below, from far and from near.
  if (choice === 2) return (1 - Math.abs(random.pattern(-53, -1))) * (random.below(2) * 2 - 1)
  return random.between(-1, 1)
}

function exponent(random: TestRandom, low: number, high: number): number {
  const choice = random.below(6)
  if (choice === 0) return random.between(low, high)
  if (choice === 1) return random.pattern(-1023, -1)
  if (choice === 2) return random.between(low - 1, low + 40)
  if (choice === 3) return random.between(high - 1, high + 0.01)
  // Next to multiples of (ln 2)/256, where the step of the table changes.
  if (choice === 4)
    return random.near((random.below(2000) - 1000) * 0.0027076061740622863 || 1e-300)
  return random.between(-3, 3)
}

function positive(random: TestRandom): number {
  const choice = random.below(5)
  if (choice === 0) return Math.abs(random.pattern(-1023, 1023))
  if (choice === 1) return random.between(0.5, 2)
  if (choice === 2) return 1 + random.pattern(-53, -4)
  if (choice === 3) return random.near(0.6875, 1.374, 1, 2, 10, 1e10, 0.1, 1 / 1024)
  return random.between(0, 1000)
}

function anything(random: TestRandom): number {
  const choice = random.below(3)
  if (choice === 0) return random.pattern(-1023, 1023)
  return choice === 1 ? random.between(-1000, 1000) : random.pattern(-8, 8)
}

function vector(random: TestRandom): [number, number] {
  const choice = random.below(5)
  if (choice === 0) return [random.pattern(-1023, 1023), random.pattern(-1023, 1023)]
  if (choice === 1) return [random.between(-1000, 1000), random.between(-1000, 1000)]
  const x = choice === 2 ? random.pattern(-1023, 1023) : random.pattern(-300, 300)
  if (choice === 3) return [x, random.near(x, -x, x * 0.5, x * 0.0625, x * 16)]
  // Ratios of all sizes that do not leave the range.
  const y = x * random.pattern(-60, 60)
  return Math.abs(y) < Infinity ? [x, y] : [x, 1 / x]
}

function power(random: TestRandom): [number, number] {
  const choice = random.below(5)
  if (choice === 0) return [positive(random), random.between(-4, 4)]
  if (choice === 1) return [1 + random.pattern(-40, -3), random.pattern(-3, 45)]
  if (choice === 2) return [random.between(0, 20), random.between(-20, 20)]
  const x = choice === 3 ? -random.below(100) - 1 : Math.abs(random.pattern(-1023, 1023))
  if (choice === 3) return [x, random.below(400) - 200]
  // As close to overflow and underflow as y can bring it.
  return [x, random.between(-1080, 1030) / (Math.abs(exponentOf(x)) + random.between(0.1, 1))]
}

/** One argument list for the function, from one of its distributions; finite and in its domain. */
export function drawArguments(name: FunctionName, random: TestRandom): [number] | [number, number] {
  switch (name) {
    case 'sin':
    case 'cos':
    case 'tan':
      return [angle(random)]
    case 'asin':
    case 'acos':
      return [sine(random)]
    case 'exp':
    case 'expm1':
      return [exponent(random, -745, 709.78)]
    case 'sinh':
    case 'cosh':
      return [exponent(random, -710.47, 710.47)]
    case 'tanh':
      return [exponent(random, -23, 23)]
    case 'log':
    case 'log2':
    case 'log10':
      return [positive(random) || 1]
    case 'log1p':
      return random.below(2) === 0 ? [positive(random)] : [sine(random) || 0.5]
    case 'pow':
      return power(random)
    case 'atan2':
    case 'hypot':
      return vector(random)
    default:
      return [anything(random)]
  }
}
