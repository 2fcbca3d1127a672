/**
 * A small random generator for tools and simulators: xoshiro128** seeded from a number and a name.
 *
 * One seed makes many independent streams (`new Prng(seed, 'net/c3>relay')`), so a new draw in one of
 * them shifts no other. Only exact arithmetic: the same draws on every engine. Not for games, whose
 * generators live in the state, and not for secrets.
 */

const twoTo32 = 4_294_967_296

/** One stream of random numbers. Every method advances it. */
export class Prng {
  // A typed array, because plain fields above 31 bits may be boxed.
  readonly #state = new Int32Array(4)

  /** `seed` is an integer from 0 to 2⁵³−1; every `name` gives another stream of it. */
  constructor(seed: number, name = '') {
    const a = Math.imul(seed | 0, 0x9e37_79b1) ^ hashName(name, 0x811c_9dc5)
    const b = Math.floor(seed / twoTo32) ^ hashName(name, 0x1b87_3593)
    // Each line is a bijection of what it adds, so different (a, b) never share a state.
    const w0 = mix(a ^ mix(b + 0x3c6e_f372))
    const w1 = mix(b + w0)
    const w2 = mix((w0 ^ 0x6a09_e667) + w1)
    const w3 = mix((w1 ^ 0x510e_527f) + w2)
    this.#state.set([w0, w1, w2, w3])
    // The one state that xoshiro never leaves.
    if ((w0 | w1 | w2 | w3) === 0) this.#state[0] = 1
  }

  /** A generator that goes on from four given words; not all of them zero. */
  static fromState(words: readonly number[]): Prng {
    const prng = new Prng(0)
    prng.#state.set(words)
    return prng
  }

  /** An integer from 0 to 2³²−1. */
  u32(): number {
    const state = this.#state
    const s0 = state[0]!
    const s1 = state[1]!
    const s2 = state[2]! ^ s0
    const s3 = state[3]! ^ s1
    const five = Math.imul(s1, 5)
    state[0] = s0 ^ s3
    state[1] = s1 ^ s2
    state[2] = s2 ^ (s1 << 9)
    state[3] = (s3 << 11) | (s3 >>> 21)
    return Math.imul((five << 7) | (five >>> 25), 9) >>> 0
  }

  /** An integer from 0 to `limit`−1, each equally often. `limit` is from 1 to 2³². */
  below(limit: number): number {
    const fair = twoTo32 - (twoTo32 % limit)
    let draw = this.u32()
    while (draw >= fair) draw = this.u32()
    return draw % limit
  }

  /** A float from 0 to just below 1, in steps of 2⁻³². */
  unit(): number {
    return this.u32() / twoTo32
  }

  /**
   * True with the given probability. Draws once even when the answer is certain, so that switching
   * one thing off does not shift what the stream decides about others.
   */
  chance(probability: number): boolean {
    return this.u32() < probability * twoTo32
  }

  /** One element, each equally often. The array must not be empty. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  /** Brings the array into a random sequence, in place, and returns it. */
  shuffle<T>(items: T[]): T[] {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.below(last + 1)
      const moved = items[last] as T
      items[last] = items[other] as T
      items[other] = moved
    }
    return items
  }

  /** A float from 0 to about 22 with mean 1: how long to wait for what has no memory. */
  exponential(): number {
    return negativeLog(this.u32() + 1)
  }

  /** A float from `min` to `max` (both above 0) whose doublings are all equally often. */
  logUniform(min: number, max: number): number {
    let octaves = 0
    for (let top = min; top < max; top *= 2) octaves++
    if (octaves === 0) return min
    for (;;) {
      let low = min
      for (let doubling = this.below(octaves); doubling > 0; doubling--) low *= 2
      const value = low + low * this.unit()
      // Only the last doubling can reach beyond `max`.
      if (value <= max) return value
    }
  }
}

/** −ln(v / 2³²) for an integer v from 1 to 2³², to about 10⁻⁸, by exact operations only. */
function negativeLog(v: number): number {
  if (v >= twoTo32) return 0
  const halvings = Math.clz32(v)
  // v = m · 2^(32 − halvings) with m in [½, 1), and −ln m = 2·artanh((1 − m)/(1 + m)).
  const m = ((v << halvings) >>> 0) / twoTo32
  const z = (1 - m) / (1 + m)
  const q = z * z
  const series =
    1 + q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11 + q * (1 / 13))))))
  return halvings * Math.LN2 + 2 * z * series
}

/** 32 bits from a name: FNV-1a over its UTF-16 units. */
function hashName(name: string, start: number): number {
  let hash = start
  for (let index = 0; index < name.length; index++) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x0100_0193)
  }
  return mix(hash)
}

/** A bijection of 32 bits in which every input bit reaches every output bit. */
function mix(word: number): number {
  let x = word | 0
  x = Math.imul(x ^ (x >>> 16), 0x21f0_aaad)
  x = Math.imul(x ^ (x >>> 15), 0x735a_2d97)
  return x ^ (x >>> 15)
}
