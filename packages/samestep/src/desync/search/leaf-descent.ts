import type { ProbeAnswer } from '../../wire/messages/desync-probes.ts'
import { probeFanout, probeGroupsMax } from '../../wire/messages/desync-probes.ts'
import type { Sides } from './sides.ts'
import type { Search } from './step.ts'
import { askBoth, BadAnswer, checkWords, isSameHash } from './step.ts'

/** The leaves in which two states differ. */
export interface FoundLeaves {
  /** Labels of the first of them, in the sequence of the tree. */
  readonly labels: readonly string[]
  /** How many there are, at the least. */
  readonly count: number
}

/** Levels that one round goes down: sixteen nodes stand for one. */
const levelsPerRound = 4

/** Leaves of a tree are counted in 32 bits; a state with more than this cannot be asked for. */
const leafCountMax = 2 ** 20

/**
 * Finds the leaves in which two states differ, from the top of their hash trees. A tree of up to 16 leaves
 * takes one round, of 256 two, of 4 096 three. Of many that differ, the first sixteen are followed.
 */
export function* findLeaves(tick: number): Search<FoundLeaves | undefined> {
  const [a, b] = yield* askBoth('tree', { tick })
  if (a === undefined || b === undefined) return undefined
  const counts = [a.leafCount, b.leafCount] as const
  counts.forEach((count, side) => {
    if (count > leafCountMax) throw new BadAnswer(side as 0 | 1, `${count} leaves`)
  })
  let level = 0
  while (widthOf(Math.max(...counts), level) > probeFanout) level += levelsPerRound
  let groups = [0]
  let found = 0
  for (; level >= 0; level -= levelsPerRound) {
    const answers = yield* askBoth('nodes', { tick, level, groups })
    const nodes = compareNodes(answers, counts, level, groups)
    if (nodes === undefined) return undefined
    found = nodes.length
    groups = nodes.slice(0, probeGroupsMax)
    if (groups.length === 0) return { labels: [], count: 0 }
  }
  return yield* nameLeaves(tick, groups, found)
}

/** The nodes of these groups that differ. */
function compareNodes(
  [a, b]: Sides<ProbeAnswer<'nodes'> | undefined>,
  counts: Sides<number>,
  level: number,
  groups: readonly number[],
): number[] | undefined {
  if (a === undefined || b === undefined) return undefined
  const different: number[] = []
  const at = [0, 0]
  const words = [a.words, b.words] as const
  for (const group of groups) {
    const sizes = counts.map((count) => nodesIn(group, widthOf(count, level)))
    const parts = words.map((each, side) => {
      const start = at[side] as number
      at[side] = start + 2 * (sizes[side] as number)
      return each.slice(start, at[side])
    }) as unknown as Sides<number[]>
    for (let node = 0; node < Math.max(...sizes); node++) {
      if (!isSameHash(...parts, node)) different.push(group * probeFanout + node)
    }
  }
  words.forEach((each, side) => {
    checkWords(side as 0 | 1, each, (at[side] as number) / 2)
  })
  return different
}

function* nameLeaves(
  tick: number,
  leaves: number[],
  count: number,
): Search<FoundLeaves | undefined> {
  const [a, b] = yield* askBoth('labels', { tick, leaves })
  if (a === undefined && b === undefined) return undefined
  const labels = leaves.map((_, index) => a?.labels[index] || b?.labels[index] || '')
  return { labels: labels.filter((label) => label !== ''), count }
}

/** Nodes of a level: neighbours make one, and an odd last one moves up. */
function widthOf(leafCount: number, level: number): number {
  return Math.ceil(leafCount / 2 ** level)
}

function nodesIn(group: number, width: number): number {
  return Math.min(Math.max(width - group * probeFanout, 0), probeFanout)
}
