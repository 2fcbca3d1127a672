/**
 * What the sync hash promises of states that differ in the ways in which states really differ. All
 * with pinned numbers: a test that draws its own chance would fail once in a while for no reason.
 */
import { describe, expect, test } from 'vitest'
import { makeLabel } from './label.ts'
import { createStateMemory } from './memory.ts'

const memory = createStateMemory(65_536)
const words = new Int32Array(memory.buffer, memory.dataStart, 16_384)
const label = makeLabel('units/x/0')
const out = new Uint32Array(2)

function hashWords(count: number): readonly [number, number] {
  memory.kernel.leaf(label, memory.dataStart, 4 * count, 'raw', out, 0)
  return [out[0]!, out[1]!]
}

/** A generator for test data only. */
function makeRandom(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state | 0
  }
}

function countBits(word: number): number {
  let count = 0
  for (let rest = word >>> 0; rest !== 0; rest &= rest - 1) count += 1
  return count
}

/** Columns as games have them. */
const columns: readonly (readonly [
  name: string,
  fill: (index: number, random: () => number) => number,
])[] = [
  ['zeros', () => 0],
  ['small counts', (_index, random) => (random() >>> 0) % 100],
  ['fixed point', (_index, random) => random() >> 6],
  ['row numbers', (index) => index],
  ['floats', (_index, random) => 0x3f800000 + ((random() >>> 0) % 0x4000000)],
  ['noise', (_index, random) => random()],
]

/** Changes that a desync makes to one cell. */
const changes: readonly (readonly [name: string, change: (cell: number) => number])[] = [
  ['sign flipped', (cell) => cell ^ 0x80000000],
  ['lowest bit flipped', (cell) => cell ^ 1],
  ['middle bit flipped', (cell) => cell ^ 0x10000],
  ['exponent raised', (cell) => (cell + 0x800000) | 0],
  ['incremented', (cell) => (cell + 1) | 0],
  ['decremented', (cell) => (cell - 1) | 0],
  ['one unit of fixed point more', (cell) => (cell + 65_536) | 0],
  ['negated', (cell) => -cell | 0],
  ['inverted', (cell) => ~cell],
  ['top byte changed', (cell) => cell ^ 0x1000000],
]

describe('the sync hash', () => {
  test('moves half of its bits, none more likely than another, when one bit of a leaf flips', () => {
    const random = makeRandom(1)
    for (const count of [1, 2, 31, 33, 64, 250]) {
      const moved = new Uint32Array(64)
      const flips = 4_000
      for (let flip = 0; flip < flips; flip++) {
        for (let index = 0; index < count; index++) words[index] = random() & 0xffff
        const [lo, hi] = hashWords(count)
        const at = (random() >>> 0) % count
        words[at] = words[at]! ^ (1 << (flip % 32))
        const [newLo, newHi] = hashWords(count)
        for (let bit = 0; bit < 32; bit++) {
          moved[bit]! += ((lo ^ newLo) >>> bit) & 1
          moved[32 + bit]! += ((hi ^ newHi) >>> bit) & 1
        }
      }
      // Half of 4000, within 5.7 standard deviations of 31.6.
      for (const total of moved) expect(Math.abs(total - flips / 2)).toBeLessThan(180)
    }
  })

  test('never loses a single changed cell', () => {
    for (const [name, fill] of columns) {
      const random = makeRandom(2)
      for (let index = 0; index < 320; index++) words[index] = fill(index, random)
      const [lo, hi] = hashWords(320)
      for (let at = 0; at < 320; at++) {
        const cell = words[at]!
        for (const [what, change] of changes) {
          words[at] = change(cell)
          if (words[at] === cell) continue
          const [newLo, newHi] = hashWords(320)
          if (lo === newLo && hi === newHi) expect.fail(`${name}, row ${at} ${what}`)
        }
        words[at] = cell
      }
    }
  })

  test('never loses two changed cells of one lane, in the same stripe or in neighbouring ones', () => {
    for (const [name, fill] of columns) {
      const random = makeRandom(3)
      for (let index = 0; index < 96; index++) words[index] = fill(index, random)
      const [lo, hi] = hashWords(96)
      for (let first = 0; first < 96; first += 4) {
        for (let second = first + 4; second < 96; second += 4) {
          const [a, b] = [words[first]!, words[second]!]
          for (const [what, change] of changes) {
            for (const [whatElse, changeElse] of changes) {
              words[first] = change(a)
              words[second] = changeElse(b)
              if (words[first] === a && words[second] === b) continue
              const [newLo, newHi] = hashWords(96)
              if (lo !== newLo || hi !== newHi) continue
              expect.fail(`${name}: row ${first} ${what}, row ${second} ${whatElse}`)
            }
          }
          words[first] = a
          words[second] = b
        }
      }
    }
  })

  test('never loses the same change of three cells of one lane', () => {
    const random = makeRandom(4)
    for (let index = 0; index < 96; index++) words[index] = random() >> 8
    const [lo, hi] = hashWords(96)
    const lane = Array.from({ length: 24 }, (_none, index) => 4 * index + 1)
    for (const [i, first] of lane.entries()) {
      for (const [j, second] of lane.entries()) {
        for (const third of lane.slice(j + 1)) {
          if (j <= i) continue
          const rows = [first, second, third]
          const cells = rows.map((row) => words[row]!)
          for (const [what, change] of changes) {
            rows.forEach((row, index) => {
              words[row] = change(cells[index]!)
            })
            const [newLo, newHi] = hashWords(96)
            if (lo === newLo && hi === newHi) expect.fail(`rows ${rows} ${what}`)
          }
          rows.forEach((row, index) => {
            words[row] = cells[index]!
          })
        }
      }
    }
  })

  test('tells apart what is swapped, moved by a row, or reversed', () => {
    const count = 1_000
    for (const [name, fill] of columns.slice(1)) {
      const random = makeRandom(5)
      for (let index = 0; index < count; index++) words[index] = fill(index, random)
      const original = words.slice(0, count)
      const seen = new Set([hashWords(count).join()])
      const expectNew = (what: string): void => {
        const isSame = words.subarray(0, count).every((word, index) => word === original[index])
        const text = hashWords(count).join()
        if (!isSame && seen.has(text)) expect.fail(`${name} ${what}`)
        seen.add(text)
        words.set(original)
      }
      for (const distance of [1, 2, 4, 8, 16, 28, 32, 33, 64, 128, 500]) {
        for (let row = 0; row + distance < count; row += 37) {
          words[row] = original[row + distance]!
          words[row + distance] = original[row]!
          expectNew(`rows ${row} and ${row + distance} swapped`)
        }
        words.copyWithin(distance, 0, count - distance)
        expectNew(`moved down by ${distance}`)
        words.copyWithin(0, distance, count)
        expectNew(`moved up by ${distance}`)
      }
      words.subarray(0, count).reverse()
      expectNew('reversed')
    }
  })

  test('has no more collisions of its halves than chance gives over simple states', () => {
    const count = 160
    words.fill(0, 0, count)
    const low = new Set<number>()
    const high = new Set<number>()
    const states = 2 ** 17
    for (let state = 0; state < states; state++) {
      // Two cells of one lane that count, and one that undoes their sum.
      words[20] = state & 0x1ff
      words[52] = state >>> 9
      words[84] = -(words[20]! + words[52]!)
      const [lo, hi] = hashWords(count)
      low.add(lo)
      high.add(hi)
    }
    // Chance gives 2¹⁷ · 2¹⁶ / 2³² = 2 pairs; above 12 there is one run in a million.
    expect(states - low.size).toBeLessThan(12)
    expect(states - high.size).toBeLessThan(12)
  })

  test('is no defence against somebody who builds a collision: that is what the state hash is for', () => {
    const random = makeRandom(6)
    for (let index = 0; index < 320; index++) words[index] = random()
    const before = hashWords(320)
    words[0] = words[0]! ^ 0x80010002
    words[4] = words[4]! ^ 0x80010002
    words[32] = words[32]! ^ 0x80000000
    expect(hashWords(320)).toEqual(before)
  })

  test('tells a label from every other', () => {
    const seeds = new Set<string>()
    let bits = 0
    for (let column = 0; column < 100; column++) {
      for (let block = 0; block < 100; block++) {
        const { seedLo, seedHi } = makeLabel(`units/c${column}/${block}`)
        seeds.add(`${seedLo},${seedHi}`)
        bits += countBits(seedLo) + countBits(seedHi)
      }
    }
    expect(seeds.size).toBe(10_000)
    // 64 bits of 10 000 labels, half of them set, within 6 standard deviations of 400.
    expect(Math.abs(bits - 320_000)).toBeLessThan(2_400)
  })
})
