import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WireError } from '../../base/errors.ts'
import type { LeafPair } from './diff.ts'
import { describeDifference, diffLeaf, diffTrees } from './diff.ts'
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

describe('diffLeaf', () => {
  const bytesOf = (cells: { readonly buffer: ArrayBufferLike }): Uint8Array =>
    new Uint8Array(cells.buffer)

  test.each([
    ['u8', Uint8Array.of(1, 255), Uint8Array.of(1, 254), 255, 254],
    ['i8', Int8Array.of(1, -1), Int8Array.of(1, -2), -1, -2],
    ['u16', Uint16Array.of(1, 65535), Uint16Array.of(1, 2), 65535, 2],
    ['i16', Int16Array.of(1, -1), Int16Array.of(1, 2), -1, 2],
    ['u32', Uint32Array.of(1, 4294967295), Uint32Array.of(1, 2), 4294967295, 2],
    ['i32', Int32Array.of(1, -7), Int32Array.of(1, 2), -7, 2],
    ['f32', Float32Array.of(1, 0.5), Float32Array.of(1, Number.NaN), 0.5, 'NaN'],
    [
      'f64',
      Float64Array.of(1, 0.1),
      Float64Array.of(1, Number.NEGATIVE_INFINITY),
      0.1,
      '-Infinity',
    ],
  ] as const)('names row and values of a %s column', (type, a, b, left, right) => {
    const pair: LeafPair = { type, firstRow: 16_384, a: bytesOf(a), b: bytesOf(b) }
    expect(diffLeaf(pair)).toEqual({ total: 1, cells: [{ row: 16_385, a: left, b: right }] })
  })

  test('compares floats by value, as they are hashed', () => {
    const a = Uint32Array.of(0x80000000, 0x7fc00000)
    const b = Uint32Array.of(0, 0xffc12345)
    expect(diffLeaf({ type: 'f32', firstRow: 0, a: bytesOf(a), b: bytesOf(b) }).total).toBe(0)
  })

  test('counts all rows and lists the first, with the values as people read them', () => {
    const a = new Int32Array(100)
    const b = new Int32Array(100).fill(65_536)
    const pair = { type: 'i32', firstRow: 0, a: bytesOf(a), b: bytesOf(b) } as const
    expect(diffLeaf(pair)).toMatchObject({ total: 100, cells: { length: 16 } })
    const few = diffLeaf({ ...pair, max: 2, toJson: (cell) => cell / 65_536 })
    expect(few).toEqual({
      total: 100,
      cells: [
        { row: 0, a: 0, b: 1 },
        { row: 1, a: 0, b: 1 },
      ],
    })
  })

  test('shows rows that only one side has', () => {
    const pair = { type: 'u8', firstRow: 5, a: Uint8Array.of(1), b: Uint8Array.of(1, 2) } as const
    expect(diffLeaf(pair)).toEqual({ total: 1, cells: [{ row: 6, a: undefined, b: 2 }] })
  })

  test('reads bytes of any alignment, and refuses half a cell', () => {
    const odd = Uint8Array.of(0, 1, 0, 2, 0).subarray(1)
    const b = Uint8Array.of(1, 0, 3, 0)
    expect(diffLeaf({ type: 'u16', firstRow: 0, a: odd, b }).cells).toEqual([
      { row: 1, a: 2, b: 3 },
    ])
    expect(() => diffLeaf({ type: 'u16', firstRow: 0, a: b.subarray(1), b })).toThrow(WireError)
  })
})

describe('describeDifference', () => {
  const both = { label: 'units/x/0', a: 3, b: 3 }
  const sides = ['Ada', 'Bob'] as const
  const cell = (row: number, a?: number, b?: number) => ({ row, a, b })

  test.each([
    [both, undefined, 'units.x differs'],
    [{ ...both, label: 'units/x/2' }, undefined, 'units.x from row 32768 differs'],
    [{ ...both, label: 'physics' }, undefined, 'physics differs'],
    [{ ...both, b: undefined }, undefined, 'units.x is only on Ada'],
    [
      { label: 'units/x/1', a: undefined, b: 4 },
      undefined,
      'units.x from row 16384 is only on Bob',
    ],
    [both, { total: 0, cells: [] }, 'units.x differs'],
    [
      both,
      { total: 1, cells: [cell(812, 14, 15)] },
      'units.x differs in row 812: 14 on Ada, 15 on Bob',
    ],
    [
      both,
      { total: 2, cells: [cell(812, 14, 15), cell(813, 1, 2)] },
      'units.x differs in row 812: 14 on Ada, 15 on Bob; 1 more row differs',
    ],
    [
      both,
      { total: 9, cells: [cell(812, undefined, 15)] },
      'units.x differs in row 812: no such row on Ada, 15 on Bob; 8 more rows differ',
    ],
  ])('%j with %j', (difference, cells, sentence) => {
    expect(describeDifference(difference, cells, sides)).toBe(sentence)
  })
})
