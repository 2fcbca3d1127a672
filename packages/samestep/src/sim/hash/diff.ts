/**
 * From "the roots differ" to the leaves that do, by a descent over two trees. Which cells differ in a
 * leaf, its part explains (`explainLeaf`).
 */
import type { StateHash, SyncHash } from './hashes.ts'
import type { HashTree } from './tree-shape.ts'
import { levelCount } from './tree-shape.ts'

/** A leaf that differs between the two sides. */
export interface LeafDifference {
  /** Its label: `units/x/0`. */
  readonly label: string
  /** Its position in the first tree; `undefined` if only the second has it. */
  readonly a: number | undefined
  /** Its position in the second tree; `undefined` if only the first has it. */
  readonly b: number | undefined
}

/**
 * All leaves in which two trees differ, in the sequence of the first. Equal nodes are skipped: with `d`
 * differing leaves of `n`, about `2 d log₂ n` nodes are compared.
 *
 * Trees of different lengths are compared where their positions agree, and by label in the rest.
 */
export function diffTrees<H extends SyncHash | StateHash>(
  a: HashTree<H>,
  b: HashTree<NoInfer<H>>,
): LeafDifference[] {
  const differences: LeafDifference[] = []
  const restA: number[] = []
  const restB: number[] = []
  for (const index of findUnequal(a, b)) {
    const label = a.label(index).text
    if (label === b.label(index).text) differences.push({ label, a: index, b: index })
    else {
      restA.push(index)
      restB.push(index)
    }
  }
  const common = Math.min(a.leafCount, b.leafCount)
  for (let index = common; index < a.leafCount; index++) restA.push(index)
  for (let index = common; index < b.leafCount; index++) restB.push(index)
  matchByLabel(a, restA, b, restB, differences)
  return differences.sort((left, right) => positionOf(left) - positionOf(right))
}

/** Sorts by the first tree; what only the second has goes behind the leaf of the same position. */
function positionOf(difference: LeafDifference): number {
  return difference.a ?? (difference.b ?? 0) + 0.5
}

/** Positions that exist in both trees and hold different leaves, by descent from the top. */
function findUnequal<H extends SyncHash | StateHash>(a: HashTree<H>, b: HashTree<H>): number[] {
  const found: number[] = []
  const common = Math.min(a.leafCount, b.leafCount)
  const sameShape = a.leafCount === b.leafCount
  // `size` is how many leaves a full node of the level stands for.
  const descend = (level: number, index: number, size: number): void => {
    if (index * size >= common) return
    // In trees of different length only full nodes stand for the same positions.
    const isComparable = sameShape || (index + 1) * size <= common
    if (isComparable && a.node(level, index) === b.node(level, index)) return
    if (level === 0) found.push(index)
    else {
      descend(level - 1, 2 * index, size / 2)
      descend(level - 1, 2 * index + 1, size / 2)
    }
  }
  let size = 1
  while (size < Math.max(a.leafCount, b.leafCount)) size *= 2
  descend(levelCount(size) - 1, 0, size)
  return found
}

/** Pairs leaves that stand at different positions; equal ones have only moved. */
function matchByLabel<H extends SyncHash | StateHash>(
  a: HashTree<H>,
  restA: readonly number[],
  b: HashTree<H>,
  restB: readonly number[],
  differences: LeafDifference[],
): void {
  const positionsB = new Map(restB.map((index) => [b.label(index).text, index]))
  for (const index of restA) {
    const label = a.label(index).text
    const other = positionsB.get(label)
    positionsB.delete(label)
    if (other !== undefined && a.node(0, index) === b.node(0, other)) continue
    differences.push({ label, a: index, b: other })
  }
  for (const [label, index] of positionsB) differences.push({ label, a: undefined, b: index })
}
