import { traceBlockEntries } from '../../sim/limits.ts'
import { probeFanout } from '../../wire/messages/desync-probes.ts'
import type { FoundWrite } from './pair-finding.ts'
import type { Sides } from './sides.ts'
import type { Search } from './step.ts'
import { ask, askBoth, BadAnswer, checkWords, isSameHash } from './step.ts'

/** Writes of one tick that can be compared: far more than a tick can make in its time. */
const entryCountMax = 2 ** 26

/** What comparing the writes of a tick gives. */
export type WriteResult =
  | { readonly result: 'same' }
  | { readonly result: 'differs'; readonly write: FoundWrite }
  /** One side could not run the tick again, or not twice the same way. */
  | { readonly result: 'unknown' }

/**
 * Finds the first write of a tick that two machines did not make alike. Hashes over the first blocks of
 * writes are equal up to it and different from there on, so each round leaves a seventeenth; in the last
 * block all writes have a hash of their own. Only the write itself is told as it was.
 */
export function* findWrite(tick: number): Search<WriteResult> {
  const [a, b] = yield* askBoth('trace', { tick })
  if (a === undefined || b === undefined) return unknown
  const counts = [a.entries, b.entries] as const
  counts.forEach((count, side) => {
    if (count > entryCountMax) throw new BadAnswer(side as 0 | 1, `${count} writes in a tick`)
  })
  const blocks = Math.ceil(Math.max(...counts) / traceBlockEntries)
  const block = yield* findBlock(blocks)
  if (block === 'same') return { result: counts[0] === counts[1] ? 'same' : 'unknown' }
  if (block === undefined) return unknown
  return yield* findEntry(block, counts)
}

/** The first block that differs. */
function* findBlock(blocks: number): Search<number | 'same' | undefined> {
  if (blocks === 0) return 'same'
  let low = 0
  let high = blocks + 1
  while (high - low > 1) {
    // All of it first: most ticks that were changed from outside have the same writes.
    const isFirst = high > blocks
    const step = isFirst ? blocks - low : Math.ceil((high - low) / (probeFanout + 1))
    const first = low + step
    const count = isFirst ? 1 : Math.min(probeFanout, Math.ceil((high - first) / step))
    const [a, b] = yield* askBoth('prefixes', { first, step: Math.max(step, 1), count })
    if (a === undefined || b === undefined) return undefined
    checkWords(0, a.words, count)
    checkWords(1, b.words, count)
    for (let index = 0; index < count; index++) {
      if (!isSameHash(a.words, b.words, index)) {
        high = first + index * step
        break
      }
      low = first + index * step
    }
    if (isFirst && low === blocks) return 'same'
  }
  return low
}

/** The first entry of a block that differs, with both of its sides. */
function* findEntry(block: number, counts: Sides<number>): Search<WriteResult> {
  const start = block * traceBlockEntries
  const sizes = counts.map((count) => Math.min(Math.max(count - start, 0), traceBlockEntries))
  const has = (side: 0 | 1) => (sizes[side] === 0 ? undefined : { block })
  const [a, b] = yield* ask('block', [has(0), has(1)])
  const words = [a?.words ?? [], b?.words ?? []] as const
  // A tick that does not run the same twice has another number of writes each time.
  if (words.some((each, side) => each.length !== 2 * (sizes[side] as number))) return unknown
  let index = 0
  while (index < Math.max(...sizes) && isSameHash(...words, index)) index += 1
  if (index === Math.max(...sizes)) return unknown
  const first = Math.max(start + index - entriesBefore, start)
  const wanted = { first, count: entriesBefore + 1 + entriesBehind }
  const asks = [has(0) && wanted, has(1) && wanted] as const
  const [mine, theirs] = yield* ask('entries', asks)
  const excerpts = [mine?.entries ?? [], theirs?.entries ?? []] as const
  const at = start + index - first
  const sides = [excerpts[0][at], excerpts[1][at]] as const
  const write = { index: start + index, sides, excerpts, blockStart: start, prefixes: words }
  return { result: 'differs', write }
}

const unknown = { result: 'unknown' } as const

/** Writes that are shown around the one that differs. */
export const entriesBefore = 2
const entriesBehind = 2
