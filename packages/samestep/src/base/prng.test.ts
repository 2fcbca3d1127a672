import { describe, expect, test } from 'vitest'
import { Prng } from './prng.ts'

const mask = 0xffff_ffffn

/** The generator from its published definition, on big integers. */
function* reference(words: readonly number[]): Generator<number> {
  let [a, b, c, d] = words.map((word) => BigInt(word >>> 0)) as [bigint, bigint, bigint, bigint]
  const rotate = (x: bigint, by: bigint): bigint => ((x << by) | (x >> (32n - by))) & mask
  for (;;) {
    yield Number((rotate((b * 5n) & mask, 7n) * 9n) & mask)
    const t = (b << 9n) & mask
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= t
    d = rotate(d, 11n)
  }
}

function draws(prng: Prng, count: number): number[] {
  return Array.from({ length: count }, () => prng.u32())
}

describe('Prng', () => {
  test('is xoshiro128**', () => {
    const words = [1, 2, 3, 4]
    const prng = Prng.fromState(words)
    const expected = reference(words)
    expect(prng.u32()).toBe(11_520)
    expected.next()
    for (let index = 0; index < 1000; index++) expect(prng.u32()).toBe(expected.next().value)
  })

  test('equal seeds and names give equal streams; one other bit or letter gives another', () => {
    expect(draws(new Prng(7, 'net/a'), 8)).toEqual(draws(new Prng(7, 'net/a'), 8))
    const starts = new Set<string>()
    const seeds = [0, 1, 7, 2 ** 31, 2 ** 32, 2 ** 32 + 7, Number.MAX_SAFE_INTEGER]
    const names = ['', 'a', 'b', 'ab', 'ba', 'net/c1>relay', 'net/relay>c1']
    for (const seed of seeds) {
      for (const name of names) starts.add(draws(new Prng(seed, name), 2).join())
    }
    expect(starts.size).toBe(seeds.length * names.length)
  })

  test('the first draws of neighbouring seeds are as mixed as any', () => {
    const ones = new Array<number>(32).fill(0)
    for (let seed = 0; seed < 4000; seed++) {
      const word = new Prng(seed, 'x').u32()
      for (let bit = 0; bit < 32; bit++) ones[bit]! += (word >>> bit) & 1
    }
    for (const count of ones) expect(Math.abs(count - 2000)).toBeLessThan(160)
  })

  test('below gives each integer equally often, up to its largest limit', () => {
    const prng = new Prng(1)
    const counts = [0, 0, 0, 0, 0, 0]
    for (let index = 0; index < 60_000; index++) counts[prng.below(6)]!++
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400)
    expect(prng.below(1)).toBe(0)
    expect(prng.below(2 ** 32)).toBeGreaterThan(5)
  })

  test('chance draws exactly once, certain or not', () => {
    for (const probability of [0, 0.3, 1]) {
      const prng = new Prng(5)
      const other = new Prng(5)
      prng.chance(probability)
      other.u32()
      expect(prng.u32()).toBe(other.u32())
    }
    const prng = new Prng(6)
    let hits = 0
    for (let index = 0; index < 100_000; index++) if (prng.chance(0.03)) hits++
    expect(Math.abs(hits - 3000)).toBeLessThan(220)
    for (let index = 0; index < 100; index++) {
      expect(prng.chance(0)).toBe(false)
      expect(prng.chance(1)).toBe(true)
    }
  })

  test('exponential follows −ln u: mean 1, and the shares of its tail', () => {
    const prng = new Prng(2)
    const beyond = [0, 0, 0]
    let sum = 0
    for (let index = 0; index < 200_000; index++) {
      const value = prng.exponential()
      sum += value
      for (let limit = 0; limit < 3; limit++) if (value > limit + 1) beyond[limit]!++
    }
    expect(sum / 200_000).toBeCloseTo(1, 1)
    for (const [limit, count] of beyond.entries()) {
      expect(count / 200_000 / Math.exp(-(limit + 1))).toBeCloseTo(1, 1)
    }
    // The same draw through the engine's own logarithm: the series is good to 10⁻⁷.
    const a = new Prng(3)
    const b = new Prng(3)
    let worst = 0
    for (let index = 0; index < 100_000; index++) {
      worst = Math.max(worst, Math.abs(a.exponential() + Math.log((b.u32() + 1) / 2 ** 32)))
    }
    expect(worst).toBeLessThan(1e-7)
  })

  test('logUniform stays in its range and meets every doubling equally often', () => {
    const prng = new Prng(4)
    const octaves = new Array<number>(10).fill(0)
    for (let index = 0; index < 50_000; index++) {
      const value = prng.logUniform(1, 1024)
      if (value < 1 || value > 1024) expect.fail(`${value} is out of range`)
      octaves[Math.min(9, Math.floor(Math.log2(value)))]!++
    }
    for (const count of octaves) expect(Math.abs(count - 5000)).toBeLessThan(400)
    for (let index = 0; index < 1000; index++) {
      const value = prng.logUniform(0.001, 0.3)
      expect(value >= 0.001 && value <= 0.3).toBe(true)
    }
    expect(prng.logUniform(5, 5)).toBe(5)
  })

  test('shuffle keeps the elements and reaches every sequence', () => {
    const prng = new Prng(8)
    const seen = new Map<string, number>()
    for (let index = 0; index < 6000; index++) {
      const key = prng.shuffle(['a', 'b', 'c']).join('')
      seen.set(key, (seen.get(key) ?? 0) + 1)
    }
    expect([...seen.keys()].sort()).toEqual(['abc', 'acb', 'bac', 'bca', 'cab', 'cba'])
    for (const count of seen.values()) expect(Math.abs(count - 1000)).toBeLessThan(150)
    expect(['x', 'y']).toContain(prng.pick(['x', 'y']))
  })
})
