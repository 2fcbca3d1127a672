import { Random, wordsFor } from '../../packages/samestep/src/sim/random/random.ts'
import type { Prepared, Suite } from '../types.ts'

/** Draws of one call. */
const draws = 1024

/** xoshiro128** in local variables: what the algorithm costs without memory, count and checks. */
function makePlainXoshiro(): () => number {
  let s0 = 1
  let s1 = 2
  let s2 = 3
  let s3 = 4
  return () => {
    const product = Math.imul(s1, 5)
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0
    const t = s1 << 9
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= t
    s3 = (s3 << 11) | (s3 >>> 21)
    return result
  }
}

function makeRandom(): Random {
  const random = new Random(new Uint32Array(wordsFor([])), [])
  random.seed('bench')
  return random
}

function prepareNext(): Prepared {
  const random = makeRandom()
  const plain = makePlainXoshiro()
  const out = new Uint32Array(draws)
  return {
    contenders: {
      'Math.random': () => {
        for (let i = 0; i < draws; i++) out[i] = Math.random() * 0x1_0000_0000
        return out
      },
      'plain xoshiro': () => {
        for (let i = 0; i < draws; i++) out[i] = plain()
        return out
      },
      'random.next': () => {
        for (let i = 0; i < draws; i++) out[i] = random.next()
        return out
      },
    },
  }
}

function prepareBelow(): Prepared {
  const random = makeRandom()
  const plain = makePlainXoshiro()
  const out = new Uint32Array(draws)
  // Limits as a game has them: dice, list lengths, percentages.
  const limits = Uint32Array.from({ length: draws }, (_, index) => 2 + ((index * 7919) % 1000))
  return {
    contenders: {
      'Math.random': () => {
        for (let i = 0; i < draws; i++) out[i] = Math.floor(Math.random() * limits[i]!)
        return out
      },
      'plain xoshiro %': () => {
        for (let i = 0; i < draws; i++) out[i] = plain() % limits[i]!
        return out
      },
      'random.below': () => {
        for (let i = 0; i < draws; i++) out[i] = random.below(limits[i]!)
        return out
      },
    },
  }
}

function prepareShuffle(): Prepared {
  const random = makeRandom()
  const items = Array.from({ length: draws }, (_, index) => index)
  return {
    contenders: {
      'Math.random': () => {
        for (let last = items.length - 1; last > 0; last--) {
          const chosen = Math.floor(Math.random() * (last + 1))
          const item = items[chosen]!
          items[chosen] = items[last]!
          items[last] = item
        }
        return items
      },
      'random.shuffle': () => random.shuffle(items),
    },
  }
}

/** The simulation's random numbers against what a game would use without netcode. */
export const suites: readonly Suite[] = [
  {
    name: 'random next',
    work: '1024 draws of 32 bits',
    baseline: 'Math.random',
    targets: [
      { of: 'random.next', against: 'Math.random', atMost: 1 },
      { of: 'random.next', against: 'plain xoshiro', atMost: 2 },
    ],
    prepare: prepareNext,
  },
  {
    name: 'random below',
    work: '1024 integers below limits from 2 to 1001, unbiased',
    baseline: 'Math.random',
    targets: [
      { of: 'random.below', against: 'Math.random', atMost: 1 },
      { of: 'random.below', against: 'plain xoshiro %', atMost: 2 },
    ],
    prepare: prepareBelow,
  },
  {
    name: 'random shuffle',
    work: 'one shuffle of 1024 items',
    baseline: 'Math.random',
    targets: [{ of: 'random.shuffle', against: 'Math.random', atMost: 1 }],
    prepare: prepareShuffle,
  },
]
