import { expect, test } from 'vitest'
import { Checksum } from './checksum.ts'
import { SampleRandom } from './testing/sample.ts'

function sumOf(words: Int32Array): string {
  const sum = new Checksum()
  sum.add(words, 0, words.byteLength)
  return `${sum.low >>> 0} ${sum.high >>> 0}`
}

const random = new SampleRandom(1)
const words = Int32Array.from({ length: 64 }, () => random.word())

test('every change of one bit changes both halves of the sum', () => {
  const [low, high] = sumOf(words).split(' ')
  for (let bit = 0; bit < words.length * 32; bit++) {
    const changed = words.slice()
    changed[bit >> 5]! ^= 1 << bit
    const [otherLow, otherHigh] = sumOf(changed).split(' ')
    expect(otherLow, `bit ${bit}`).not.toBe(low)
    expect(otherHigh, `bit ${bit}`).not.toBe(high)
  }
})

test('changes of the topmost bits of two words do not cancel out', () => {
  const sum = sumOf(words)
  for (let first = 0; first < 8; first++) {
    for (let second = first + 1; second < words.length; second++) {
      const changed = words.slice()
      changed[first]! ^= 0x8000_0000
      changed[second]! ^= 0x8000_0000
      expect(sumOf(changed), `${first} and ${second}`).not.toBe(sum)
    }
  }
})

test('words that change places change the sum', () => {
  for (let first = 0; first < words.length; first++) {
    for (let second = first + 1; second < words.length; second++) {
      const changed = words.slice()
      changed[first] = words[second]!
      changed[second] = words[first]!
      expect(sumOf(changed)).not.toBe(sumOf(words))
    }
  }
})

test('more zeros change the sum', () => {
  const sums = [0, 2, 4, 6, 8, 16].map((length) => sumOf(new Int32Array(length)))
  expect(new Set(sums).size).toBe(sums.length)
})

test('the halves are two sums, not one sum twice', () => {
  const differing = Array.from({ length: 100 }, (_, index) => sumOf(Int32Array.of(index, 0, 0, 0)))
    .map((sum) => sum.split(' '))
    .filter(([low, high]) => low !== high)
  expect(differing).toHaveLength(100)
})

test('golden sum', () => {
  expect(sumOf(Int32Array.from({ length: 10 }, (_, index) => index * 1_000_003))).toBe(
    '2600761827 885148947',
  )
})
