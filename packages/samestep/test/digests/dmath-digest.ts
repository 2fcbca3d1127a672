import * as dmath from '../../src/sim/math/dmath/index.ts'

const float = new Float64Array(1)
const words = new Uint32Array(float.buffer)
float[0] = 1
/** Which word holds sign and exponent, whatever the byte order. */
const HIGH = words[1] === 0 ? 0 : 1
const LOW = 1 - HIGH

/** Numbers at which a formula, a table row or a rule for special values ends. */
const EDGES = [
  ...[0, -0, 1, -1, 2, -2, 0.5, -0.5, 3, 10, 1024, Infinity, -Infinity, NaN],
  ...[5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308],
  ...[Math.PI, -Math.PI, Math.PI / 2, Math.PI / 4, 1.0000000000000002, 0.9999999999999999],
  ...[709.782712893384, 709.7827128933841, -708.4, -745.1332191019411, -745.1332191019412],
  ...[0.00390625, 0.0625, 256, 262144, 6.381956970095103e255, 1e22, 710.4758600739439, 22, 0.55],
]

/** Doubles of all kinds from an integer generator: always the same ones. */
class DoubleSource {
  // Not #state: bundles for old engines turn that into a WeakMap, which takes five times as long.
  private state: number

  constructor(seed: number) {
    this.state = seed
  }

  /** Any 32 bits. */
  word(): number {
    this.state = (this.state + 0x9e37_79b9) | 0
    let word = this.state
    word = Math.imul(word ^ (word >>> 16), 0x21f0_aaad)
    word = Math.imul(word ^ (word >>> 15), 0x735a_2d97)
    return (word ^ (word >>> 15)) >>> 0
  }

  /** Evenly within ±limit, with 53 random bits. */
  within(limit: number): number {
    const unit = (this.word() * 0x20_0000 + (this.word() >>> 11)) / 0x10_0000_0000_0000
    return (unit - 1) * limit
  }

  /** Any bits in the fraction, an exponent of two from `exponent` on, of which there are `count`. */
  pattern(exponent: number, count: number): number {
    const word = this.word()
    const biased = 1023 + exponent + ((word >>> 1) % count)
    words[HIGH] = (word << 31) | (biased << 20) | (this.word() >>> 12)
    words[LOW] = this.word()
    return float[0] as number
  }

  /** What a function gets: mostly from its usual range, then of all sizes, around 1, and edges. */
  argument(limit: number): number {
    switch (this.word() & 15) {
      case 0:
        return EDGES[this.word() % EDGES.length] as number
      case 1:
        return this.pattern(-1023, 2048)
      case 2:
        return this.pattern(-30, 60)
      case 3:
        return 1 + this.within(0.01)
      case 4:
        // Next to the multiples of π/2, and of 1.57 for all others.
        return ((this.word() % 20_001) - 10_000) * (Math.PI / 2)
      case 5:
        return (this.word() % 2001) - 1000
      case 6:
        return this.within(1)
      case 7:
        return this.within(1e6)
      default:
        return this.within(limit)
    }
  }
}

/** Two multiplying lanes over the bits of all results. */
class BitDigest {
  private low = 0x811c_9dc5
  private high = 0x9dc5_811c

  add(value: number): void {
    // One NaN, whatever bits an engine gives it.
    float[0] = value
    const nan = Number.isNaN(value)
    const high = nan ? 0x7ff8_0000 : (words[HIGH] as number)
    const low = nan ? 0 : (words[LOW] as number)
    this.low = Math.imul(this.low ^ low, 0x0100_0193) ^ high
    this.low = Math.imul(this.low ^ (this.low >>> 15), 0x2c1b_3c6d)
    this.high = Math.imul(this.high ^ high, 0x85eb_ca6b) ^ low
    this.high = Math.imul(this.high ^ (this.high >>> 13), 0xc2b2_ae35)
  }

  hex(): string {
    const part = (word: number): string => `0000000${(word >>> 0).toString(16)}`.slice(-8)
    return part(this.high ^ (this.high >>> 16)) + part(this.low ^ (this.low >>> 16))
  }
}

/** Every function, and the limit of its usual arguments. Each gets three and uses what it needs. */
const FUNCTIONS: readonly (readonly [
  name: string,
  call: (x: number, y: number, z: number) => number,
  limit: number,
])[] = [
  ['sin', (x) => dmath.sin(x), 1000],
  ['cos', (x) => dmath.cos(x), 1000],
  ['tan', (x) => dmath.tan(x), 1000],
  ['asin', (x) => dmath.asin(x), 1],
  ['acos', (x) => dmath.acos(x), 1],
  ['atan', (x) => dmath.atan(x), 10],
  ['atan2', (x, y) => dmath.atan2(x, y), 1000],
  ['exp', (x) => dmath.exp(x), 750],
  ['expm1', (x) => dmath.expm1(x), 40],
  ['log', (x) => dmath.log(Math.abs(x)), 1000],
  ['log1p', (x) => dmath.log1p(x), 1],
  ['log2', (x) => dmath.log2(Math.abs(x)), 1000],
  ['log10', (x) => dmath.log10(Math.abs(x)), 1000],
  ['pow', (x, y) => dmath.pow(y < 0 ? Math.abs(x) : x, y), 50],
  ['cbrt', (x) => dmath.cbrt(x), 1000],
  ['hypot', (x, y, z) => (z < 0 ? dmath.hypot(x, y) : dmath.hypot(x, y, z)), 1000],
  ['sinh', (x) => dmath.sinh(x), 20],
  ['cosh', (x) => dmath.cosh(x), 20],
  ['tanh', (x) => dmath.tanh(x), 5],
]

/** One digest per function of `dmath`, over as many results as there should be arguments. */
export function dmathDigests(argumentsPerFunction: number): { name: string; digest: string }[] {
  return FUNCTIONS.map(([name, call, limit], index) => {
    const source = new DoubleSource(index * 0x0123_4567)
    const digest = new BitDigest()
    for (let count = 0; count < argumentsPerFunction; count++) {
      const x = source.argument(limit)
      const y = source.argument(limit)
      digest.add(call(x, y, source.within(limit)))
    }
    return { name, digest: digest.hex() }
  })
}
