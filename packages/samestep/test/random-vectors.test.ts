import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { SyncedCosmetic } from '../src/sim/random/cosmetic.ts'
import { Random, wordsFor } from '../src/sim/random/random.ts'
import { seedStream } from '../src/sim/random/seed.ts'
import { referenceOutputs, referenceState } from '../src/sim/random/testing/random-reference.ts'
import { RandomStream } from '../src/sim/random/xoshiro.ts'

type Sequence = { readonly state: string[]; readonly outputs: number[] }
type Vectors = {
  readonly xoshiro: { readonly state: number[]; readonly outputs: number[] }
  readonly streams: (Sequence & { readonly seed: number | string; readonly name: string })[]
  readonly synced: (Sequence & {
    readonly seed: number | string
    readonly salt: string
    readonly tick: number
    readonly entity: number
  })[]
}

const path = new URL('./vectors/random.json', import.meta.url)
const vectors: Vectors = JSON.parse(readFileSync(path, 'utf8'))

function toHex(words: Iterable<number>): string[] {
  return Array.from(words, (word) => word.toString(16).padStart(8, '0'))
}

describe('the published random vectors', () => {
  test('xoshiro128** gives the sequence that its authors publish', () => {
    const stream = new RandomStream(Uint32Array.of(...vectors.xoshiro.state, 0, 0, 0, 0))
    expect(vectors.xoshiro.outputs.slice(0, 6)).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492,
    ])
    expect(vectors.xoshiro.outputs.map(() => stream.next())).toEqual(vectors.xoshiro.outputs)
  })

  test.each(vectors.streams)('stream "$name" of seed $seed', ({ seed, name, state, outputs }) => {
    const words = new Uint32Array(8)
    seedStream(words, seed, name)
    expect(toHex(words.subarray(0, 4))).toEqual(state)
    const stream = new RandomStream(words)
    expect(outputs.map(() => stream.next())).toEqual(outputs)
    expect(stream.draws).toBe(outputs.length)
    // The slow reference agrees, so a changed file cannot be blessed by changed code alone.
    expect(toHex(referenceState(1, String(seed), name))).toEqual(state)
    expect(referenceOutputs(referenceState(1, String(seed), name), outputs.length)).toEqual(outputs)
  })

  test('the default stream is the one with the empty name', () => {
    const random = new Random(new Uint32Array(wordsFor([])), [])
    for (const { seed, outputs } of vectors.streams.filter(({ name }) => name === '')) {
      random.seed(seed)
      expect(outputs.map(() => random.next())).toEqual(outputs)
    }
  })

  test.each(vectors.synced)(
    'effect of seed $seed, salt "$salt", tick $tick, entity $entity',
    (given) => {
      const effect = new SyncedCosmetic(given.seed, given.salt).at(given.tick, given.entity)
      expect(given.outputs.map(() => effect.next())).toEqual(given.outputs)
      const state = given.state.map((word) => Number.parseInt(word, 16))
      expect(referenceOutputs(state, given.outputs.length)).toEqual(given.outputs)
    },
  )
})
