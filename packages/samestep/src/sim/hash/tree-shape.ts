/** The shape of a hash tree; `tree.ts` says why it is so. */
import { assert } from '../../base/assert.ts'
import { leafCountMax } from '../limits.ts'
import type { StateHash, SyncHash } from './hashes.ts'
import type { LeafLabel } from './leaf.ts'

/** What a comparison needs of a tree, whichever hash it holds and wherever it is. */
export interface HashTree<H extends SyncHash | StateHash> {
  readonly leafCount: number
  /** The label of leaf `index`. */
  label(index: number): LeafLabel
  /** The hash of a node: level 0 holds the leaves, the last level the one top node. */
  node(level: number, index: number): H
}

/** Levels of a tree with `leafCount` leaves, the leaves included: 0, 1, 2, 3, 3, 4 … */
export function levelCount(leafCount: number): number {
  if (leafCount < 0 || leafCount > leafCountMax) assert(false, `No tree has ${leafCount} leaves`)
  let levels = leafCount === 0 ? 0 : 1
  for (let width = leafCount; width > 1; width = Math.ceil(width / 2)) levels += 1
  return levels
}

/** Nodes of one level of a tree with `leafCount` leaves. */
export function levelWidth(leafCount: number, level: number): number {
  assert(level >= 0 && level < levelCount(leafCount), `The tree has no level ${level}`)
  let width = leafCount
  for (let below = 0; below < level; below++) width = Math.ceil(width / 2)
  return width
}
