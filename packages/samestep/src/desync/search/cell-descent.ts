import { probeCellsMax, probeFanout } from '../../wire/messages/desync-probes.ts'
import type { FoundPlace } from './pair-finding.ts'
import type { Search } from './step.ts'
import { askBoth, BadAnswer, checkWords, isSameHash } from './step.ts'

/** Values of a leaf that are looked for: a block of a column has 16 384, bytes of a custom part more. */
const itemCountMax = 2 ** 20

/**
 * Finds the first value in which two versions of a leaf differ: by hashes over runs of values, each round
 * a sixteenth of the one before, and then the values of one short run. `undefined` when neither has it.
 */
export function* findCell(tick: number, label: string): Search<FoundPlace | undefined> {
  const items = { tick, label, first: 0, step: 1, count: 1 }
  const [a, b] = yield* askBoth('items', items)
  if (a === undefined || b === undefined) return undefined
  const itemCount = Math.max(a.itemCount, b.itemCount)
  if (itemCount > itemCountMax) {
    throw new BadAnswer(a.itemCount > itemCountMax ? 0 : 1, `${itemCount} values in a leaf`)
  }
  let step = 1
  while (step * probeFanout < itemCount) step *= probeFanout
  let first = 0
  for (; step * probeFanout > probeCellsMax; step /= probeFanout) {
    const answers = yield* askBoth('items', { ...items, first, step, count: probeFanout })
    const [mine, theirs] = answers
    if (mine === undefined || theirs === undefined) return undefined
    checkWords(0, mine.words, probeFanout)
    checkWords(1, theirs.words, probeFanout)
    let run = 0
    while (run < probeFanout && isSameHash(mine.words, theirs.words, run)) run += 1
    if (run === probeFanout) return undefined
    first += run * step
  }
  return yield* compareCells(tick, label, first, Math.min(first + step * probeFanout, itemCount))
}

/** Compares values one by one, as many at a time as an answer holds. */
function* compareCells(
  tick: number,
  label: string,
  from: number,
  to: number,
): Search<FoundPlace | undefined> {
  for (let first = from; first < to; first += probeCellsMax) {
    const count = Math.min(probeCellsMax, to - first)
    const [a, b] = yield* askBoth('cells', { tick, label, first, count })
    if (a === undefined || b === undefined) return undefined
    for (let index = 0; index < Math.max(a.cells.length, b.cells.length); index++) {
      const [mine, theirs] = [a.cells[index], b.cells[index]]
      const isSamePlace = mine?.row === theirs?.row && mine?.field === theirs?.field
      if (isSamePlace && mine?.value === theirs?.value) continue
      const { row, field } = mine ?? theirs ?? { row: undefined, field: '' }
      const part = label.split('/')[0] as string
      const values = [mine?.value, isSamePlace ? theirs?.value : undefined] as const
      return { part, row, field, tick, values }
    }
  }
  return undefined
}
