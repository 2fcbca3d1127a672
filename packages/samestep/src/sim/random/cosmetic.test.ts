import { describe, expect, test } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import { CosmeticRandom, SyncedCosmetic, syncedCosmetic } from './cosmetic.ts'
import { Random, wordsFor } from './random.ts'
import { unevenness } from './testing/chi-square.ts'
import type { RandomStream } from './xoshiro.ts'

describe('CosmeticRandom', () => {
  test('any number is a seed; fractions count', () => {
    const first = [0, 0.25, 0.5, -1, 1e300, Number.NaN].map((seed) =>
      new CosmeticRandom(seed).next(),
    )
    expect(new Set(first).size).toBe(first.length)
    expect(new CosmeticRandom(0.25).next()).toBe(first[1])
  })

  test('unit and range stay in their limits and are even', () => {
    const random = new CosmeticRandom(1)
    const counts = new Array<number>(50).fill(0)
    for (let count = 0; count < 100_000; count++) {
      const unit = random.unit()
      counts[Math.floor(unit * 50)]!++
      const angle = random.range(-90, 90)
      if (angle < -90 || angle > 90) expect.fail(`angle ${angle}`)
    }
    expect(Math.abs(unevenness(counts))).toBeLessThan(4)
  })

  test('has the draws of a stream', () => {
    const random = new CosmeticRandom(2)
    expect(random.below(1)).toBe(0)
    expect(random.between(4, 4)).toBe(4)
    expect(random.chance(0, 3)).toBe(false)
    expect(random.pick(['only'])).toBe('only')
    expect(random.weighted([0, 5])).toBe(1)
    expect(random.shuffle([1, 2, 3]).sort()).toEqual([1, 2, 3])
    expect(typeof random.bool()).toBe('boolean')
  })

  test('is no stream of the simulation, by type', () => {
    const takeStream = (stream: RandomStream): number => stream.next()
    // @ts-expect-error An effect must not reach code that decides the game.
    expect(takeStream(new CosmeticRandom(3))).toBeGreaterThanOrEqual(0)
    const free: CosmeticRandom = new SyncedCosmetic(1)
    expect(free).toBeInstanceOf(CosmeticRandom)
  })
})

describe('SyncedCosmetic', () => {
  const firstOf = (random: CosmeticRandom): number[] => [random.next(), random.next()]

  test('is the same wherever it is made and in whichever sequence it is asked', () => {
    const here = new SyncedCosmetic('friday', 'sparks')
    const there = new SyncedCosmetic('friday', 'sparks')
    here.at(5, 9).next()
    expect(firstOf(here.at(100, 3))).toEqual(firstOf(there.at(100, 3)))
    expect(firstOf(here.at(5, 9))).toEqual(firstOf(there.at(5, 9)))
    expect(firstOf(syncedCosmetic('friday', 100, 3, 'sparks'))).toEqual(firstOf(there.at(100, 3)))
  })

  test('differs by seed, salt, tick and entity, also beyond 32 bits', () => {
    const all = [
      syncedCosmetic(1, 0, 0),
      syncedCosmetic(2, 0, 0),
      syncedCosmetic(1, 0, 0, 'x'),
      syncedCosmetic(1, 1, 0),
      syncedCosmetic(1, 0, 1),
      syncedCosmetic(1, 0, -1),
      syncedCosmetic(1, 2 ** 32, 0),
      syncedCosmetic(1, 0, 2 ** 32),
    ].map((random) => random.next())
    expect(new Set(all).size).toBe(all.length)
  })

  test('neighbouring ticks and entities have unrelated draws', () => {
    const random = new SyncedCosmetic(1)
    const counts = new Array<number>(256).fill(0)
    for (let tick = 0; tick < 200; tick++) {
      for (let entity = 0; entity < 200; entity++) counts[random.at(tick, entity).next() >>> 24]!++
    }
    expect(Math.abs(unevenness(counts))).toBeLessThan(4)
  })

  test('draws nothing from the simulation, and shares no sequence with its streams', () => {
    const words = new Uint32Array(wordsFor(['sparks']))
    const random = new Random(words, ['sparks'])
    random.seed('friday')
    const before = words.slice()
    const effect = syncedCosmetic('friday', 0, 0, 'sparks')
    const draws = Array.from({ length: 20 }, () => effect.next())
    expect(words).toEqual(before)
    expect(draws).not.toContain(random.stream('sparks').next())
    expect(draws).not.toContain(random.next())
  })

  test('refuses the seeds that a match refuses', () => {
    expect(() => new SyncedCosmetic('')).toThrow(UsageError)
  })
})
