import { deflateRawSync, inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deflate } from './deflate.ts'
import { inflate } from './inflate.ts'
import { expectBits } from './testing/files.ts'
import { SampleRandom } from './testing/sample.ts'

function bytesOf(
  length: number,
  make: (random: SampleRandom, index: number) => number,
): Uint8Array {
  const random = new SampleRandom(11)
  return Uint8Array.from({ length }, (_, index) => make(random, index))
}

/** Data of every kind that takes another way through the writer. */
const inputs: { readonly [name: string]: Uint8Array } = {
  nothing: new Uint8Array(0),
  'one byte': Uint8Array.of(7),
  'three bytes': Uint8Array.of(1, 2, 3),
  zeros: new Uint8Array(100_000),
  noise: bytesOf(70_000, (random) => random.word()),
  'noise beyond one stored block': bytesOf(200_000, (random) => random.word()),
  'few symbols': bytesOf(50_000, (random) => random.below(3)),
  'skewed symbols': bytesOf(50_000, (random) => Math.clz32(random.word())),
  words: bytesOf(60_000, (_random, index) => 'the quick brown fox '.charCodeAt(index % 20)),
  'a long period': bytesOf(90_000, (_random, index) => Math.imul(index % 30_011, 0x9e37) >>> 8),
  'a period beyond the window': bytesOf(99_000, (_r, index) => Math.imul(index % 40_009, 77) >>> 3),
  'noise, then zeros, then noise': bytesOf(30_000, (random, index) =>
    index > 10_000 && index < 20_000 ? 0 : random.word(),
  ),
}

function expectReadBack(input: Uint8Array): void {
  const packed = deflate(input)
  expectBits(inflate(packed, input.length), input)
  expectBits(new Uint8Array(inflateRawSync(packed)), input)
}

describe('deflate', () => {
  test.each(Object.keys(inputs))('%s: read back by us and by zlib', (name) => {
    expectReadBack(inputs[name]!)
  })

  test('all inputs together are at most 5 % larger than from zlib', () => {
    const total = (pack: (input: Uint8Array) => Uint8Array) =>
      Object.values(inputs).reduce((sum, input) => sum + pack(input).length, 0)
    expect(total(deflate)).toBeLessThan(total(deflateRawSync) * 1.05)
  })

  test('nothing grows by more than a few bytes per 16 KB', () => {
    for (const input of Object.values(inputs)) {
      const allowed = input.length + 8 + Math.ceil(input.length / 16_384) * 5
      expect(deflate(input).length).toBeLessThanOrEqual(allowed)
    }
  })

  test('any bytes are read back', () => {
    const run = fc.record({ bytes: fc.uint8Array({ maxLength: 60 }), times: fc.nat(40) })
    fc.assert(
      fc.property(fc.array(run, { maxLength: 12 }), (runs) => {
        const input = Uint8Array.from(
          runs.flatMap(({ bytes, times }) =>
            Array.from({ length: times }, () => [...bytes]).flat(),
          ),
        )
        expectReadBack(input)
      }),
      { numRuns: 200 },
    )
  })

  test('counts so uneven that codes must be cut to 15 bits are read back', () => {
    // Each symbol as often as the two before it together: the deepest tree that there is.
    const counts = [1, 1]
    while (counts.length < 24) counts.push(counts.at(-1)! + counts.at(-2)!)
    const random = new SampleRandom(4)
    const all = counts.flatMap((count, symbol) => new Array<number>(count).fill(symbol))
    const input = Uint8Array.from(all, () => 0)
    for (let index = all.length - 1; index >= 0; index--) {
      const other = random.below(index + 1)
      input[index] = all[other]!
      all[other] = all[index]!
    }
    expectReadBack(input)
  })
})

test('golden bytes: every machine writes the same', () => {
  const text = Uint8Array.from('samestep samestep samestep', (unit) => unit.charCodeAt(0))
  expect(Buffer.from(deflate(text)).toString('hex')).toBe('2b4ecc4d2d2e492d50c0600000')
})
