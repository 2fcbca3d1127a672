import { describe, expect, test } from 'vitest'
import { InvariantError } from '../../base/assert.ts'
import { UsageError } from '../../base/errors.ts'
import { Random, wordsFor } from './random.ts'
import { seedStream } from './seed.ts'
import { RandomStream } from './xoshiro.ts'

const names = ['combat', 'loot'] as const

function makeRandom(seed: number | string) {
  const words = new Uint32Array(wordsFor(names))
  const random = new Random(words, names)
  random.seed(seed)
  return { words, random }
}

describe('Random', () => {
  test('is the default stream itself, and gives the declared ones', () => {
    const { random } = makeRandom('friday')
    for (const [name, stream] of [
      ['', random],
      ['combat', random.stream('combat')],
      ['loot', random.stream('loot')],
    ] as const) {
      const words = new Uint32Array(8)
      seedStream(words, 'friday', name)
      const alone = new RandomStream(words)
      for (let count = 0; count < 10; count++) expect(stream.next()).toBe(alone.next())
    }
    expect(random.stream('loot')).toBe(random.stream('loot'))
  })

  test('draws in one stream move no other', () => {
    const { random } = makeRandom(1)
    const { random: other } = makeRandom(1)
    for (let count = 0; count < 100; count++) other.stream('combat').next()
    expect(other.next()).toBe(random.next())
    expect(other.stream('loot').next()).toBe(random.stream('loot').next())
    expect([other.draws, other.stream('combat').draws, other.stream('loot').draws]).toEqual([
      1, 100, 1,
    ])
  })

  test('lives in its memory: copying the words back is going back', () => {
    const { random, words } = makeRandom(2)
    const saved = words.slice()
    const first = [random.next(), random.stream('loot').next()]
    words.set(saved)
    expect([random.next(), random.stream('loot').next()]).toEqual(first)
  })

  test('seeding again is starting again', () => {
    const { random, words } = makeRandom(3)
    const fresh = words.slice()
    random.next()
    random.stream('combat').next()
    expect(words).not.toEqual(fresh)
    random.seed(3)
    expect(words).toEqual(fresh)
  })

  test('works on part of a larger memory', () => {
    const memory = new Uint32Array(100)
    const random = new Random(memory.subarray(10, 10 + wordsFor(names)), names)
    random.seed(4)
    expect(memory.subarray(0, 10).every((word) => word === 0)).toBe(true)
    expect(memory.subarray(10 + 24).every((word) => word === 0)).toBe(true)
    expect(random.next()).toBe(makeRandom(4).random.next())
  })

  test('names the streams that there are when asked for another', () => {
    const { random } = makeRandom(5)
    expect(() => random.stream('Loot' as 'loot')).toThrow(
      'Cannot find the random stream "Loot": the game declares "combat", "loot"',
    )
    const plain = new Random(new Uint32Array(8), [])
    expect(() => plain.stream('x' as never)).toThrow('the game declares none')
    // Names of Object.prototype are no streams.
    expect(() => random.stream('constructor' as 'loot')).toThrow(UsageError)
  })

  test('refuses names that are empty, too long, too many or twice there', () => {
    const declare = (list: string[]) => () => new Random(new Uint32Array(wordsFor(list)), list)
    expect(declare([''])).toThrow('the name "" has 0 characters; it must have 1 to 64')
    expect(declare(['x'.repeat(65)])).toThrow('has 65 characters')
    expect(declare(['a', 'b', 'a'])).toThrow('the name "a" is there twice; names must differ')
    expect(declare(Array.from({ length: 65 }, (_, index) => `s${index}`))).toThrow(
      'there are 65; there must be at most 64',
    )
    expect(declare(Array.from({ length: 64 }, (_, index) => `s${index}`))).not.toThrow()
  })

  test('needs exactly the words that wordsFor says', () => {
    expect(wordsFor([])).toBe(8)
    expect(wordsFor(names)).toBe(24)
    expect(() => new Random(new Uint32Array(16), names)).toThrow(InvariantError)
  })

  test('knows memory that no seeding and drawing can have made', () => {
    const { random, words } = makeRandom(6)
    expect(random.isLegal()).toBe(true)
    words[23] = 1
    expect(random.isLegal()).toBe(false)
    words[23] = 0
    words.fill(0, 8, 12)
    expect(random.isLegal()).toBe(false)
  })
})
