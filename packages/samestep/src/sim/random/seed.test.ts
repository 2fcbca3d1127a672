import { describe, expect, test } from 'vitest'
import { InvariantError } from '../../base/assert.ts'
import { UsageError } from '../../base/errors.ts'
import { absorb, closeLanes, seedStream, seedText } from './seed.ts'
import { unevenness } from './testing/chi-square.ts'
import { referenceState } from './testing/random-reference.ts'
import { RandomStream } from './xoshiro.ts'

function stateOf(seed: number | string, name: string): Uint32Array {
  const words = new Uint32Array(8)
  seedStream(words, seed, name)
  return words
}

function differingBits(a: Uint32Array, b: Uint32Array): number {
  let count = 0
  for (const [index, word] of a.entries()) {
    for (let rest = word ^ b[index]!; rest !== 0; rest &= rest - 1) count++
  }
  return count
}

describe('seedStream', () => {
  test('equals the reference, and starts with no draws', () => {
    for (const seed of [0, 5, 2 ** 53 - 1, 'a', 'friday', '漢字', '🐎'.repeat(32)]) {
      for (const name of ['', 'x', 'combat', 'ü'.repeat(64)]) {
        const want = [...referenceState(1, String(seed), name), 0, 0, 0, 0]
        expect([...stateOf(seed, name)]).toEqual(want)
      }
    }
  })

  test('wipes what was in the words before', () => {
    const words = new Uint32Array(8).fill(0xffff_ffff)
    seedStream(words, 3, 'x')
    expect(words).toEqual(stateOf(3, 'x'))
  })

  test('a number means its digits', () => {
    expect(stateOf(1234, 'x')).toEqual(stateOf('1234', 'x'))
  })

  test('the border between seed and name counts', () => {
    const states = [
      stateOf('ab', 'c'),
      stateOf('a', 'bc'),
      stateOf('abc', ''),
      stateOf('c', 'ab'),
      stateOf('ab\0', 'c'),
      stateOf('ab', 'c\0'),
    ].map(String)
    expect(new Set(states).size).toBe(states.length)
  })

  test('one changed bit in seed or name changes half of the state', () => {
    let sum = 0
    let rounds = 0
    for (let index = 0; index < 500; index++) {
      for (const bit of [1, 2, 4, 8]) {
        const other = String.fromCharCode(0x60 ^ bit)
        const before = stateOf(`${index}\`seed`, 'name')
        for (const after of [stateOf(`${index}${other}seed`, 'name')]) {
          const count = differingBits(before, after)
          expect(count).toBeGreaterThan(32)
          sum += count
          rounds++
        }
        const named = differingBits(stateOf(index, 'stream`'), stateOf(index, `stream${other}`))
        expect(named).toBeGreaterThan(32)
        sum += named
        rounds++
      }
    }
    // 64 of 128 bits, with a standard deviation of √32 / √rounds ≈ 0.09.
    expect(Math.abs(sum / rounds - 64)).toBeLessThan(0.4)
  })

  test('neighbouring seeds have unrelated first draws', () => {
    const counts = new Array<number>(256).fill(0)
    for (let seed = 0; seed < 20_000; seed++) {
      counts[new RandomStream(stateOf(seed, '')).next() >>> 24]!++
    }
    expect(Math.abs(unevenness(counts))).toBeLessThan(4)
  })

  test('streams of one match do not follow each other', () => {
    const combat = new RandomStream(stateOf(1, 'combat'))
    const loot = new RandomStream(stateOf(1, 'loot'))
    const counts = new Array<number>(256).fill(0)
    for (let count = 0; count < 100_000; count++) {
      counts[(combat.next() >>> 28) * 16 + (loot.next() >>> 28)]!++
    }
    expect(Math.abs(unevenness(counts))).toBeLessThan(4)
  })

  test('refuses impossible seeds and names', () => {
    for (const seed of [-1, 0.5, Number.NaN, Infinity, 2 ** 53, '', 'x'.repeat(65)]) {
      expect(() => stateOf(seed, '')).toThrow(UsageError)
    }
    expect(() => seedText(null as unknown as string)).toThrow('the seed is null')
    expect(() => stateOf(-1, '')).toThrow(/^Cannot seed a match: the seed is -1; it must be /)
    expect(() => stateOf(1, 'x'.repeat(65))).toThrow(
      'Cannot seed a stream: its name has 65 characters; it must have at most 64',
    )
    expect(() => seedStream(new Uint32Array(4), 1, '')).toThrow(InvariantError)
  })
})

test('absorbing and closing never ends in the state that xoshiro cannot leave', () => {
  // Zero lanes stay zero while zeros are absorbed, so closing them is the worst case.
  const lanes = new Uint32Array(4)
  absorb(lanes, 0)
  expect([...lanes]).toEqual([0, 0, 0, 0])
  closeLanes(lanes)
  expect([...lanes]).toEqual([1, 0, 0, 0])
})
