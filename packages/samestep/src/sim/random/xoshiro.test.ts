import { describe, expect, test } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import { fixedMath } from '../math/fixed.ts'
import { seedStream } from './seed.ts'
import { unevenness, unfairness } from './testing/chi-square.ts'
import { referenceOutputs } from './testing/random-reference.ts'
import { RandomStream, wordsPerStream } from './xoshiro.ts'

function makeWords(seed: number | string, name = ''): Uint32Array {
  const words = new Uint32Array(wordsPerStream)
  seedStream(words, seed, name)
  return words
}

function makeStream(seed: number | string, name = ''): RandomStream {
  return new RandomStream(makeWords(seed, name))
}

function inverse(odd: number): number {
  let result = odd
  for (let step = 0; step < 5; step++) result = Math.imul(result, 2 - Math.imul(odd, result))
  return result
}

/** A stream whose next draw is the given one: the output is a bijection of the second word. */
function streamThatDraws(draw: number): RandomStream {
  const rotated = Math.imul(draw, inverse(9))
  const product = (rotated >>> 7) | (rotated << 25)
  return new RandomStream(Uint32Array.of(1, Math.imul(product, inverse(5)), 2, 3, 0, 0, 0, 0))
}

describe('next', () => {
  test('equals a BigInt reference for many states', () => {
    for (let seed = 0; seed < 200; seed++) {
      const words = makeWords(seed)
      const want = referenceOutputs([...words.subarray(0, 4)], 100)
      const stream = new RandomStream(words)
      expect(want.map(() => stream.next())).toEqual(want)
    }
  })

  test('keeps everything in the words: a copy of them goes on alike', () => {
    const words = makeWords('copy')
    const stream = new RandomStream(words)
    for (let count = 0; count < 1000; count++) stream.next()
    const copy = new RandomStream(words.slice())
    for (let count = 0; count < 1000; count++) expect(copy.next()).toBe(stream.next())
    expect(copy.draws).toBe(2000)
  })

  test('counts draws in 64 bits', () => {
    const words = makeWords(1)
    const stream = new RandomStream(words)
    words[4] = 0xffff_fffe
    words[5] = 6
    stream.next()
    expect(stream.draws).toBe(7 * 2 ** 32 - 1)
    stream.next()
    expect(stream.draws).toBe(7 * 2 ** 32)
    expect([words[4], words[5], words[6], words[7]]).toEqual([0, 7, 0, 0])
  })

  test('has even bytes, and no bit that follows the draw before', () => {
    const stream = makeStream('bytes')
    const bytes = [0, 8, 16, 24].map(() => new Array<number>(256).fill(0))
    const flips = new Array<number>(32).fill(0)
    let last = stream.next()
    const rounds = 400_000
    for (let count = 0; count < rounds; count++) {
      const draw = stream.next()
      for (let lane = 0; lane < 4; lane++) bytes[lane]![(draw >>> (lane * 8)) & 0xff]!++
      for (let bit = 0; bit < 32; bit++) flips[bit]! += ((draw ^ last) >>> bit) & 1
      last = draw
    }
    for (const counts of bytes) expect(Math.abs(unevenness(counts))).toBeLessThan(4)
    for (const count of flips) expect(Math.abs(count - rounds / 2)).toBeLessThan(4 * 317)
  })

  test('needs exactly eight words', () => {
    expect(() => new RandomStream(new Uint32Array(4))).toThrow('A stream needs 8 words, not 4')
  })
})

describe('below', () => {
  test('is the high word of draw × n, and throws away exactly the uneven rest', () => {
    const source = makeStream('pairs')
    const check = (draw: number, n: number): void => {
      const stream = streamThatDraws(draw)
      const value = stream.below(n)
      const product = BigInt(draw) * BigInt(n)
      const isKept = (product & 0xffff_ffffn) >= BigInt(2 ** 32 % n)
      if (isKept !== (stream.draws === 1)) expect.fail(`draw ${draw}, n ${n}: kept ${!isKept}`)
      if (isKept && value !== Number(product >> 32n)) expect.fail(`draw ${draw}, n ${n}`)
    }
    const odd = [1, 2, 3, 5, 6, 7, 10, 1000, 65_535, 65_537, 2 ** 21 + 1, 2 ** 30 * 3, 2 ** 31 - 1]
    const limits = [...odd, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1, 2 ** 32]
    for (const n of limits) {
      // Where one result ends and the next begins.
      for (let index = 0; index < 200; index++) {
        const border = Math.ceil((source.next() % n) * (2 ** 32 / n))
        for (const draw of [border - 1, border, border + 1]) check(draw >>> 0, n)
      }
      for (const draw of [0, 1, 2 ** 31, 2 ** 32 - 1]) check(draw, n)
    }
    for (let count = 0; count < 100_000; count++) {
      check(source.next(), (source.next() >>> (source.next() & 31)) + 1)
    }
  })

  test('is even for limits on which a remainder would be uneven', () => {
    // With `next() % n`, the lower third of 3 × 2^30 would come up twice as often.
    for (const n of [3, 6, 7, 10, 100, 2 ** 30 * 3, 2 ** 31 + 1, 2 ** 32 - 1]) {
      const stream = makeStream(n)
      const width = n <= 100 ? 1 : n / 96
      const counts = new Array<number>(n / width).fill(0)
      for (let count = 0; count < 100_000; count++) counts[Math.floor(stream.below(n) / width)]!++
      expect(Math.abs(unevenness(counts)), `n ${n}`).toBeLessThan(4)
    }
  })

  test('draws again about as often as it must', () => {
    const stream = makeStream('again')
    for (let count = 0; count < 100_000; count++) stream.below(2 ** 31 + 1)
    // Just under half of all draws are thrown away, so two are needed on average.
    expect(stream.draws / 100_000).toBeCloseTo(2, 1)
  })

  test('refuses limits that are no count', () => {
    const stream = makeStream(1)
    for (const n of [0, -1, 1.5, 2 ** 32 + 1, Number.NaN, Infinity]) {
      expect(() => stream.below(n)).toThrow(UsageError)
    }
    expect(() => stream.below(0)).toThrow(
      'Cannot draw below a limit: the limit is 0; it must be an integer from 1 to 2^32',
    )
    expect(stream.draws).toBe(0)
  })
})

describe('between', () => {
  test('includes both ends, negative ones too', () => {
    const stream = makeStream('dice')
    const seen = new Set<number>()
    for (let count = 0; count < 1000; count++) seen.add(stream.between(-3, 3))
    expect([...seen].sort((a, b) => a - b)).toEqual([-3, -2, -1, 0, 1, 2, 3])
    expect(stream.between(5, 5)).toBe(5)
    expect(Object.is(stream.between(-0, -0), 0)).toBe(true)
  })

  test('takes the whole range of an int32', () => {
    expect(streamThatDraws(0).between(-(2 ** 31), 2 ** 31 - 1)).toBe(-(2 ** 31))
    expect(streamThatDraws(2 ** 32 - 1).between(-(2 ** 31), 2 ** 31 - 1)).toBe(2 ** 31 - 1)
  })

  test('refuses limits in the wrong sequence, fractions and too wide ranges', () => {
    const stream = makeStream(1)
    const wrong = [
      [2, 1],
      [0, 0.5],
      [Number.NaN, 1],
      [0, 2 ** 32],
      [-Infinity, 0],
    ] as const
    for (const [lowest, highest] of wrong) {
      expect(() => stream.between(lowest, highest)).toThrow(/^Cannot draw between two limits: /)
    }
  })
})

describe('chance and bool', () => {
  test('come true as often as they say', () => {
    const stream = makeStream('chance')
    const rounds = 100_000
    let hits = 0
    let heads = 0
    for (let count = 0; count < rounds; count++) {
      if (stream.chance(3, 7)) hits++
      if (stream.bool()) heads++
    }
    const expected = [(rounds * 3) / 7, (rounds * 4) / 7]
    expect(unfairness([hits, rounds - hits], expected)).toBeLessThan(4)
    expect(unevenness([heads, rounds - heads])).toBeLessThan(4)
  })

  test('draw also when the answer is certain', () => {
    const stream = makeStream(1)
    expect([stream.chance(0, 9), stream.chance(9, 9), stream.chance(1, 1)]).toEqual([
      false,
      true,
      true,
    ])
    expect(stream.draws).toBe(3)
  })

  test('refuse what is no fraction', () => {
    const stream = makeStream(1)
    const wrong = [
      [1, 0],
      [-1, 2],
      [3, 2],
      [0.5, 1],
      [1, 1.5],
      [Number.NaN, 1],
      [1, Number.NaN],
      [1, 2 ** 33],
    ] as const
    for (const [n, d] of wrong) {
      expect(() => stream.chance(n, d)).toThrow(/^Cannot draw with a chance: it is /)
    }
  })
})

describe('fixed', () => {
  test('is even from 0 to just below 1', () => {
    const stream = makeStream('fixed')
    const counts = new Array<number>(64).fill(0)
    for (let count = 0; count < 100_000; count++) counts[stream.fixed() >> 10]!++
    expect(Math.abs(unevenness(counts))).toBeLessThan(4)
  })

  test('never reaches its limit, and takes the whole range', () => {
    const { MIN, MAX, ONE } = fixedMath
    expect(streamThatDraws(2 ** 32 - 1).fixed()).toBe(ONE - 1)
    expect(streamThatDraws(2 ** 32 - 1).fixed(-ONE, ONE)).toBe(ONE - 1)
    expect(streamThatDraws(2 ** 32 - 1).fixed(MIN, MAX)).toBe(MAX - 1)
    expect(streamThatDraws(0xffff).fixed(-ONE, ONE)).toBe(-ONE + 1)
  })

  test('refuses limits that are no fixed numbers or in the wrong sequence', () => {
    const stream = makeStream(1)
    for (const [lowest, limit] of [
      [5, 5],
      [6, 5],
      [0.5, 5],
      [0, 2 ** 31],
    ] as const) {
      expect(() => stream.fixed(lowest, limit)).toThrow(/^Cannot draw a fixed number: /)
    }
  })
})

describe('shuffle and pick', () => {
  test('all 24 sequences of four items come up alike', () => {
    const stream = makeStream('cards')
    const counts = new Map<string, number>()
    for (let count = 0; count < 60_000; count++) {
      const key = stream.shuffle(['a', 'b', 'c', 'd']).join('')
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    expect(counts.size).toBe(24)
    expect(Math.abs(unevenness([...counts.values()]))).toBeLessThan(4)
  })

  test('shuffles typed arrays in place and returns them', () => {
    const cells = Int16Array.from({ length: 500 }, (_, index) => index)
    const shuffled = makeStream('cells').shuffle(cells)
    expect(shuffled).toBe(cells)
    expect([...cells].some((cell, index) => cell !== index)).toBe(true)
    expect([...cells].sort((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, i) => i))
  })

  test('does nothing to lists of one and none', () => {
    const stream = makeStream(1)
    expect([stream.shuffle([]), stream.shuffle([7])]).toEqual([[], [7]])
    expect(stream.draws).toBe(0)
  })

  test('picks every item alike, from typed arrays too', () => {
    const stream = makeStream('pick')
    const counts = [0, 0, 0, 0, 0]
    for (let count = 0; count < 50_000; count++)
      counts[stream.pick(Uint8Array.of(0, 1, 2, 3, 4))]!++
    expect(Math.abs(unevenness(counts))).toBeLessThan(4)
    expect(() => stream.pick([])).toThrow('Cannot pick an item: the list is empty')
  })
})

describe('weighted', () => {
  test('comes up in proportion, and never where the weight is zero', () => {
    const stream = makeStream('loot')
    const weights = [0, 1, 2, 0, 3, 94, 0]
    const counts = weights.map(() => 0)
    for (let count = 0; count < 100_000; count++) counts[stream.weighted(weights)]!++
    const isPossible = (_: number, index: number): boolean => weights[index] !== 0
    expect(counts.filter((_, index) => weights[index] === 0)).toEqual([0, 0, 0])
    expect(
      unfairness(
        counts.filter(isPossible),
        weights.filter(isPossible).map((weight) => weight * 1000),
      ),
    ).toBeLessThan(4)
  })

  test('takes weights up to a sum of 2^32 - 1', () => {
    expect(streamThatDraws(2 ** 32 - 1).weighted([1, 2 ** 32 - 2])).toBe(1)
    expect(streamThatDraws(2).weighted([1, 2 ** 32 - 2])).toBe(1)
    expect(streamThatDraws(1).weighted(Uint32Array.of(1, 2 ** 32 - 2))).toBe(0)
  })

  test('refuses weights that are no counts, and sums that are none', () => {
    const stream = makeStream(1)
    for (const weights of [[], [0, 0], [2 ** 31, 2 ** 31], [Infinity]]) {
      expect(() => stream.weighted(weights)).toThrow(/^Cannot draw by weight: the sum /)
    }
    for (const weights of [[1, -1], [0.5], [Number.NaN]]) {
      expect(() => stream.weighted(weights)).toThrow(/^Cannot draw by weight: weight /)
    }
    expect(stream.draws).toBe(0)
  })
})
