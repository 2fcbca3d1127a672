/**
 * Proofs that a leaf belongs to a state: with the root that a majority agreed on, one side can show
 * what its cells were, and nobody can show cells that were not there.
 */
import { assert } from '../../base/assert.ts'
import { leafCountMax } from '../limits.ts'
import type { StateHash } from './hashes.ts'
import { isStateHash, stateHashToBytes } from './hashes.ts'
import { sha256Bytes } from './sha256.ts'
import type { StateTree } from './state-tree.ts'
import { hashStateNode, hashStateRoot } from './state-tree.ts'
import { levelCount, levelWidth } from './tree-shape.ts'

/**
 * The sibling hashes on the path from a leaf to the root, lowest first. Plain data that can be sent as is.
 */
export type LeafProof = readonly StateHash[]

/** The proof for leaf `index` of `tree`. */
export function proveLeaf(tree: StateTree, index: number): LeafProof {
  assert(index >= 0 && index < tree.leafCount, `The tree has no leaf ${index}`)
  const siblings: StateHash[] = []
  let at = index
  for (let level = 0; level < levelCount(tree.leafCount) - 1; level++) {
    const sibling = siblingOf(at, levelWidth(tree.leafCount, level))
    if (sibling !== undefined) siblings.push(tree.node(level, sibling))
    at >>>= 1
  }
  return siblings
}

/**
 * Whether `leaf` is leaf `index` of `leafCount` under `root`. Everything but `root` may come from a
 * stranger: nothing throws, and a proof whose length does not match (index, leafCount) is refused.
 * `hashStateLeaf` makes `leaf` from a label and bytes.
 */
export function verifyLeaf(
  root: StateHash,
  leafCount: number,
  index: number,
  leaf: StateHash,
  proof: LeafProof,
): boolean {
  if (!Number.isInteger(leafCount) || leafCount < 1 || leafCount > leafCountMax) return false
  if (!Number.isInteger(index) || index < 0 || index >= leafCount) return false
  if (!isStateHash(leaf) || !Array.isArray(proof) || !proof.every(isStateHash)) return false
  const pair = new Uint8Array(2 * sha256Bytes)
  const hash = stateHashToBytes(leaf)
  let used = 0
  let at = index
  for (let width = leafCount; width > 1; width = Math.ceil(width / 2)) {
    const sibling = siblingOf(at, width)
    if (sibling !== undefined) {
      const next = proof[used++]
      if (next === undefined) return false
      pair.set(hash, sibling < at ? sha256Bytes : 0)
      pair.set(stateHashToBytes(next), sibling < at ? 0 : sha256Bytes)
      hashStateNode(pair, 0, hash, 0)
    }
    at = Math.floor(at / 2)
  }
  return used === proof.length && hashStateRoot(leafCount, hash) === root
}

/** The other half of the pair that node `index` is in; `undefined` for an odd last node. */
function siblingOf(index: number, width: number): number | undefined {
  const sibling = index % 2 === 0 ? index + 1 : index - 1
  return sibling < width ? sibling : undefined
}
