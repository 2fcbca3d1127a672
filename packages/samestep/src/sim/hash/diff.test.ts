import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diffTrees } from './diff.ts'
import type { PlainLeaf } from './testing/reference.ts'
import { looseSource, manyLeaves } from './testing/sources.ts'
import type { HashTree, StateHash, SyncHash } from './tree.ts'
import { buildStateTree, SyncTree } from './tree.ts'

function syncTree(leaves: readonly PlainLeaf[]): SyncTree {
  const tree = new SyncTree()
  tree.update(looseSource(leaves))
  return tree
}

const stateTree = (leaves: readonly PlainLeaf[]) => buildStateTree(looseSource(leaves))

/** Counts how many nodes are looked at. */
function counted<H extends SyncHash | StateHash>(tree: HashTree<H>) {
  let looks = 0
  const view: HashTree<H> = {
    leafCount: tree.leafCount,
    label: (index) => tree.label(index),
    node(level, index) {
      looks += 1
      return tree.node(level, index)
    },
  }
  return { view, looks: () => looks }
}

const withBytes = (leaf: PlainLeaf, ...bytes: number[]): PlainLeaf => ({
  ...leaf,
  bytes: Uint8Array.from(bytes),
})

describe('diffTrees', () => {
  test('finds exactly the leaves that differ, in either tree, whatever was added and taken away', () => {
    const sides = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 })),
      {
        maxLength: 40,
      },
    )
    fc.assert(
      fc.property(sides, (cells) => {
        // 0 means that the side has no such leaf; 1 and 2 are two contents.
        const sideOf = (side: 0 | 1): PlainLeaf[] =>
          cells.flatMap((pair, index) =>
            pair[side] === 0 ? [] : [{ label: `t/c${index}/0`, bytes: Uint8Array.of(pair[side]) }],
          )
        const [a, b] = [sideOf(0), sideOf(1)]
        const positionIn = (leaves: PlainLeaf[], label: string): number | undefined => {
          const found = leaves.findIndex((leaf) => leaf.label === label)
          return found === -1 ? undefined : found
        }
        const expected = cells.flatMap(([left, right], index) => {
          const label = `t/c${index}/0`
          return left === right ? [] : [{ label, a: positionIn(a, label), b: positionIn(b, label) }]
        })
        const byLabel = (left: { label: string }, right: { label: string }): number =>
          left.label < right.label ? -1 : 1
        for (const found of [
          diffTrees(syncTree(a), syncTree(b)),
          diffTrees(stateTree(a), stateTree(b)),
        ]) {
          expect([...found].sort(byLabel)).toEqual([...expected].sort(byLabel))
        }
      }),
    )
  })

  test('lists leaves in the sequence of the first tree', () => {
    const leaves = manyLeaves(20)
    const other = leaves.map((leaf, index) => (index % 6 === 3 ? withBytes(leaf, 99) : leaf))
    expect(diffTrees(syncTree(leaves), syncTree(other)).map(({ a }) => a)).toEqual([3, 9, 15])
  })

  test('descends: it looks at the way down to a difference, not at every leaf', () => {
    const leaves = manyLeaves(4096)
    const same = counted(syncTree(leaves))
    expect(diffTrees(same.view, syncTree(leaves))).toEqual([])
    expect(same.looks()).toBe(1)
    const other = leaves.with(2077, withBytes(leaves[2077]!, 1))
    const one = counted(syncTree(leaves))
    expect(diffTrees(one.view, syncTree(other))).toEqual([
      { label: 'units/column2077/0', a: 2077, b: 2077 },
    ])
    // The top, then two nodes on each of the 12 levels below.
    expect(one.looks()).toBe(1 + 2 * 12)
  })

  test('descends also where one tree has leaves more at its end', () => {
    const leaves = manyLeaves(4100)
    const longer = counted(syncTree(leaves))
    const found = diffTrees(longer.view, syncTree(leaves.slice(0, 4098)))
    expect(found).toEqual([
      { label: 'units/column4098/0', a: 4098, b: undefined },
      { label: 'units/column4099/0', a: 4099, b: undefined },
    ])
    expect(longer.looks()).toBeLessThan(10)
  })

  test('does not report what only moved', () => {
    const leaves = manyLeaves(10)
    const extra = { label: 'new/leaf/0', bytes: Uint8Array.of(1) }
    expect(diffTrees(stateTree(leaves), stateTree([extra, ...leaves]))).toEqual([
      { label: 'new/leaf/0', a: undefined, b: 0 },
    ])
    expect(diffTrees(stateTree(leaves), stateTree([...leaves].reverse()))).toEqual([])
  })

  test('compares trees of one kind only, by the compiler', () => {
    // @ts-expect-error A sync tree and a state tree have no hash in common.
    expect(diffTrees(syncTree([]), stateTree([]))).toEqual([])
  })
})
