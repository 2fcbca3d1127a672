import { CosmeticRandom, SyncedCosmetic } from '../../src/sim/random/cosmetic.ts'
import { Random, wordsFor } from '../../src/sim/random/random.ts'
import { ArgumentSource, NumberDigest } from './argument-source.ts'
import type { Digest } from './index.ts'

type TestRandom = Random<'combat' | 'loot'>

const words = new Uint32Array(wordsFor(['combat', 'loot']))
const random: TestRandom = new Random(words, ['combat', 'loot'])
const items = [3, 1, 4, 1, 5, 9, 2, 6]
const cells = Int16Array.of(2, 7, 1, 8, 2, 8, 1, 8)

/** One call of each method. The arguments come from the source, so that every limit occurs. */
const methods: readonly (readonly [string, (source: ArgumentSource) => number])[] = [
  ['next', () => random.next()],
  ['stream', () => random.stream('combat').next() ^ random.stream('loot').next()],
  ['below', (source) => random.below((source.int32() >>> 0) + 1)],
  ['between', (source) => between(source.int32(), source.int32())],
  ['chance', (source) => Number(chance(source.int32() >>> 0, source.int32() >>> 0))],
  ['bool', () => Number(random.bool())],
  ['fixed', () => random.fixed() ^ random.fixed(-65_536, 65_536)],
  ['pick', () => random.pick(items) * 10 + random.pick(cells)],
  ['weighted', (source) => random.weighted([source.word() >>> 8, 0, source.word() >>> 8, 1])],
  ['shuffle', () => random.shuffle(items)[0]! * 10 + random.shuffle(cells)[7]!],
  ['draws', (source) => random.below((source.int32() >>> 0) + 1) * 0 + random.draws],
  ['seed', (source) => reseed(source.word() >>> 0)],
]

function between(a: number, b: number): number {
  return random.between(Math.min(a, b), Math.max(a, b))
}

function chance(a: number, b: number): boolean {
  return random.chance(Math.min(a, b), Math.max(a, b, 1))
}

/** Starts a match with a number, then one with a text, and sums up all words of state. */
function reseed(seed: number): number {
  random.seed(seed)
  let sum = words.reduce((total, word) => Math.imul(total, 31) ^ word, 0)
  random.seed(`match ${seed.toString(16)} é漢`)
  sum = words.reduce((total, word) => Math.imul(total, 31) ^ word, sum)
  return sum
}

function digestCalls(count: number, call: (source: ArgumentSource) => number): string {
  const source = new ArgumentSource()
  const digest = new NumberDigest()
  for (let index = 0; index < count; index++) digest.add(call(source))
  return digest.hex()
}

/** One digest per method of the random generators, each over `count` calls from the same seed. */
export function randomDigests(count: number): Digest[] {
  const digests = methods.map(([name, call]) => {
    random.seed('digest')
    items.sort((a, b) => a - b)
    cells.sort()
    return { name, digest: digestCalls(count, call) }
  })
  const free = new CosmeticRandom(0.1)
  const synced = new SyncedCosmetic('digest', 'salt')
  digests.push(
    { name: 'cosmetic', digest: digestCalls(count, () => free.unit() + free.range(-1, 1)) },
    {
      name: 'synced cosmetic',
      digest: digestCalls(count, (source) => synced.at(source.word() >>> 0, source.int32()).next()),
    },
  )
  return digests
}
