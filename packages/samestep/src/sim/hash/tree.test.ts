import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WireError } from '../../base/errors.ts'
import { makeLabel } from './label.ts'
import type { LeafSource, LeafVisitor } from './leaf.ts'
import type { PlainLeaf } from './testing/reference.ts'
import {
  referenceStateLeaf,
  referenceStateRoot,
  referenceSyncLeafText,
  referenceSyncRoot,
} from './testing/reference.ts'
import { looseSource, manyLeaves, memorySource } from './testing/sources.ts'
import type { HashTree, StateHash, SyncHash } from './tree.ts'
import { buildStateTree, levelCount, levelWidth, SyncTree } from './tree.ts'

const leafLists = fc.array(
  fc.record({
    label: fc.string({ maxLength: 12 }),
    format: fc.constantFrom('raw' as const, 'f32' as const, 'f64' as const),
    words: fc.array(
      fc.oneof(fc.integer(), fc.constantFrom(0x80000000, 0x7fc12345, 0x7ff00001, 0)),
      {
        maxLength: 40,
      },
    ),
  }),
  { maxLength: 20 },
)

function toLeaves(
  lists: { label: string; format: 'raw' | 'f32' | 'f64'; words: number[] }[],
): PlainLeaf[] {
  return lists.map(({ label, format, words }) => {
    const whole = format === 'f64' ? words.slice(0, words.length & ~1) : words
    return { label, format, bytes: new Uint8Array(Int32Array.from(whole).buffer) }
  })
}

function makeSyncTree(leaves: readonly PlainLeaf[]): SyncTree {
  const tree = new SyncTree()
  tree.update(looseSource(leaves))
  return tree
}

/** The top node by the recursion of RFC 6962: split at the largest power of two below the count. */
function recursiveTop<H>(leaves: readonly H[], node: (left: H, right: H) => H): H {
  if (leaves.length === 1) return leaves[0]!
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return node(recursiveTop(leaves.slice(0, split), node), recursiveTop(leaves.slice(split), node))
}

/** Which leaves lie under each node, as text: `((0,1),2)`. */
function shapeOf<H extends SyncHash | StateHash>(
  tree: HashTree<H>,
  level: number,
  index: number,
): string {
  if (level === 0) return String(index)
  const below = levelWidth(tree.leafCount, level - 1)
  const left = shapeOf(tree, level - 1, 2 * index)
  if (2 * index + 1 === below) {
    expect(tree.node(level, index), 'an odd node moves up as it is').toBe(
      tree.node(level - 1, 2 * index),
    )
    return left
  }
  return `(${left},${shapeOf(tree, level - 1, 2 * index + 1)})`
}

/** Where in the memory each leaf begins. */
function placesOf(source: LeafSource): number[] {
  const places: number[] = []
  source.visitLeaves({ leaf: (_label, _bytes, start) => void places.push(start) })
  return places
}

/** Shows leaves, and throws. */
function brokenAfter(source: LeafSource): LeafSource {
  return {
    visitLeaves(visitor) {
      source.visitLeaves(visitor)
      throw new WireError('SS_WIRE_TRUNCATED', 0, 'broken')
    },
  }
}

/** Shows the first leaves only. */
function visitSome(source: LeafSource, visitor: LeafVisitor, count: number): void {
  let left = count
  source.visitLeaves({ leaf: (...run) => void (left-- > 0 && visitor.leaf(...run)) })
}

describe('both trees', () => {
  test('have the roots of the description, from a state memory of either kind or from outside', () => {
    fc.assert(
      fc.property(leafLists, (lists) => {
        const leaves = toLeaves(lists)
        const loose = looseSource(leaves)
        const syncRoot = referenceSyncRoot(leaves)
        const stateRoot = referenceStateRoot(leaves)
        const tree = new SyncTree()
        tree.update(loose)
        expect(tree.root).toBe(syncRoot)
        expect(buildStateTree(loose).root).toBe(stateRoot)
        for (const kernel of ['wasm', 'js'] as const) {
          const { source, memory } = memorySource(leaves, kernel)
          const before = memory.bytes.slice(memory.dataStart)
          tree.update(source, memory)
          expect(tree.root).toBe(syncRoot)
          expect(buildStateTree(source, memory).root).toBe(stateRoot)
          expect(buildStateTree(source).root).toBe(stateRoot)
          expect(memory.bytes.slice(memory.dataStart), 'hashing only reads').toEqual(before)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('have the shape of RFC 6962 for every number of leaves', () => {
    for (let count = 1; count <= 70; count++) {
      const leaves = manyLeaves(count)
      const expected = recursiveTop(
        leaves.map((_leaf, index) => String(index)),
        (left, right) => `(${left},${right})`,
      )
      const top = levelCount(count) - 1
      expect(levelWidth(count, top)).toBe(1)
      expect(shapeOf(makeSyncTree(leaves), top, 0)).toBe(expected)
      expect(shapeOf(buildStateTree(looseSource(leaves)), top, 0)).toBe(expected)
    }
  })

  test('show every leaf with its label', () => {
    const leaves = manyLeaves(37)
    const sync = makeSyncTree(leaves)
    const state = buildStateTree(looseSource(leaves))
    leaves.forEach((leaf, index) => {
      expect(sync.label(index).text).toBe(leaf.label)
      expect(state.label(index).text).toBe(leaf.label)
      expect(sync.node(0, index)).toBe(referenceSyncLeafText(leaf))
      expect(state.node(0, index)).toBe(referenceStateLeaf(leaf).toString('hex'))
    })
    for (const tree of [sync, state]) {
      expect(() => tree.label(37)).toThrow('no leaf 37')
      expect(() => tree.node(0, 37)).toThrow('no node 37')
      expect(() => tree.node(0, -1)).toThrow('no node -1')
      expect(() => tree.node(7, 0)).toThrow('no level 7')
    }
  })

  test('of no leaves have a root of their own, and no node', () => {
    const sync = makeSyncTree([])
    const state = buildStateTree(looseSource([]))
    expect(sync.root).toBe(new SyncTree().root)
    expect(sync.root).toBe(referenceSyncRoot([]))
    expect(state.root).toBe(referenceStateRoot([]))
    expect(() => sync.node(0, 0)).toThrow('no level 0')
    expect(() => state.node(0, 0)).toThrow('no level 0')
  })

  test('take labels of any length that fits 16 bits', () => {
    for (const length of [0, 255, 256, 300, 65_535]) {
      const leaves = [{ label: 'x'.repeat(length), bytes: Uint8Array.of(1) }, ...manyLeaves(1)]
      expect(buildStateTree(looseSource(leaves)).root).toBe(referenceStateRoot(leaves))
      expect(makeSyncTree(leaves).root).toBe(referenceSyncRoot(leaves))
    }
  })

  test('tell a doubled last leaf from a single one (CVE-2012-2459)', () => {
    for (const count of [1, 3, 5, 6, 7]) {
      const leaves = manyLeaves(count)
      const doubled = [...leaves, leaves[count - 1]!]
      expect(makeSyncTree(doubled).root).not.toBe(makeSyncTree(leaves).root)
      expect(buildStateTree(looseSource(doubled)).root).not.toBe(
        buildStateTree(looseSource(leaves)).root,
      )
    }
    // The classic form: a whole odd subtree repeated, 1 2 3 4 5 6 against 1 2 3 4 5 6 5 6.
    const six = manyLeaves(6)
    const eight = [...six, six[4]!, six[5]!]
    expect(makeSyncTree(eight).root).not.toBe(makeSyncTree(six).root)
    expect(buildStateTree(looseSource(eight)).root).not.toBe(buildStateTree(looseSource(six)).root)
  })

  test('depend on the sequence of the leaves, on each label and on each length', () => {
    const leaves = manyLeaves(5)
    const variants: PlainLeaf[][] = [
      leaves,
      [...leaves].reverse(),
      leaves.slice(0, 4),
      leaves.map((leaf, index) => (index === 2 ? { ...leaf, label: 'units/other/0' } : leaf)),
      leaves.map((leaf, index) =>
        index === 2 ? { ...leaf, bytes: Uint8Array.of(...leaf.bytes, 0) } : leaf,
      ),
      // The border between label and bytes moves by one byte.
      [{ label: 'ab', bytes: Uint8Array.of(0x63) }],
      [{ label: 'abc', bytes: new Uint8Array(0) }],
    ]
    expect(new Set(variants.map((each) => makeSyncTree(each).root)).size).toBe(variants.length)
    const roots = variants.map((each) => buildStateTree(looseSource(each)).root)
    expect(new Set(roots).size).toBe(variants.length)
  })
})

describe('the sync tree', () => {
  test('serves tick after tick, with more and with fewer leaves', () => {
    const tree = new SyncTree()
    for (const count of [0, 5, 300, 2, 64, 65, 0, 1]) {
      const leaves = manyLeaves(count)
      tree.update(looseSource(leaves))
      expect(tree.leafCount).toBe(count)
      expect(tree.root).toBe(referenceSyncRoot(leaves))
      const words = (BigInt(tree.rootHi) << 32n) | BigInt(tree.rootLo)
      expect(words).toBe(BigInt(`0x${tree.root}`))
      expect(() => tree.label(count)).toThrow('no leaf')
    }
  })

  test('has the same hash whether a leaf or a node was hashed again or is as it was', () => {
    const changes = fc.array(fc.record({ leaf: fc.nat(), byte: fc.nat(), value: fc.nat(255) }))
    const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 })
    // What happens before a tick: fewer leaves, as when rows of a table die, or a part that throws.
    const before = fc.constantFrom('nothing', 'nothing', 'fewer', 'broken' as const)
    const ticks = fc.array(fc.record({ changes, before, shown: fc.nat(20) }), { maxLength: 8 })
    const places = fc.constantFrom('memory', 'elsewhere' as const)
    fc.assert(
      fc.property(lengths, ticks, places, (sizes, moves, place) => {
        const leaves = sizes.map((size, index) => {
          return { label: `units/x${index}/0`, bytes: new Uint8Array(size) }
        })
        const inMemory = memorySource(leaves, 'wasm')
        const { memory } = inMemory
        const source = place === 'memory' ? inMemory.source : looseSource(leaves)
        const starts = placesOf(inMemory.source)
        const tree = new SyncTree()
        for (const { changes, before, shown } of moves) {
          for (const { leaf, byte, value } of changes) {
            const index = leaf % leaves.length
            const { bytes } = leaves[index]!
            bytes[byte % bytes.length] = value
            memory.bytes.set(bytes, starts[index]!)
          }
          const some = { visitLeaves: (visitor: LeafVisitor) => visitSome(source, visitor, shown) }
          if (before === 'fewer') tree.update(some, memory)
          if (before === 'broken') {
            expect(() => tree.update(brokenAfter(some), memory)).toThrow('broken')
          }
          tree.update(source, memory)
          expect(tree.root).toBe(referenceSyncRoot(leaves))
          expect(tree.labels.map(({ text }) => text)).toEqual(leaves.map(({ label }) => label))
        }
      }),
      { numRuns: 300 },
    )
  })

  test('gives the same labels until one of them changes', () => {
    const tree = new SyncTree()
    const [three, four] = [looseSource(manyLeaves(3)), looseSource(manyLeaves(4))]
    tree.update(three)
    const { labels } = tree
    tree.update(three)
    expect(tree.labels).toBe(labels)
    tree.update(four)
    expect(tree.labels).not.toBe(labels)
    expect(tree.labels).toHaveLength(4)
    tree.update(three)
    expect(tree.labels.map(({ text }) => text)).toEqual(labels.map(({ text }) => text))
    expect(labels, 'what was given out stays as it was').toHaveLength(3)
  })

  test('hashes a leaf that was longer in between, and then is as it was before', () => {
    const label = makeLabel('units/x/0')
    const { memory } = memorySource([{ label: 'units/x/0', bytes: new Uint8Array(100) }], 'wasm')
    for (const place of ['memory', 'elsewhere']) {
      const tree = new SyncTree()
      const bytes = place === 'memory' ? memory.bytes : new Uint8Array(500)
      const start = place === 'memory' ? memory.dataStart : 3
      for (const size of [20, 50, 20, 33, 32, 100, 32, 20]) {
        tree.update({ visitLeaves: (to) => to.leaf(label, bytes, start, size, 'raw') }, memory)
        const leaf = { label: 'units/x/0', bytes: bytes.slice(start, start + size) }
        expect(tree.root, `${size} bytes`).toBe(referenceSyncRoot([leaf]))
      }
    }
  })

  test('hashes a leaf that became longer or shorter, and one in another memory', () => {
    const tree = new SyncTree()
    const leaf = { label: 'units/x/0', bytes: Uint8Array.of(1, 0, 0, 0, 0, 0) }
    const [here, there] = [memorySource([leaf], 'wasm'), memorySource([leaf], 'js')]
    const label = makeLabel(leaf.label)
    for (const { memory } of [here, there, here]) {
      for (const size of [6, 5, 1, 6, 6]) {
        const source: LeafSource = {
          visitLeaves: (visitor) =>
            visitor.leaf(label, memory.bytes, memory.dataStart, size, 'raw'),
        }
        tree.update(source, memory)
        expect(tree.root).toBe(referenceSyncRoot([{ ...leaf, bytes: leaf.bytes.slice(0, size) }]))
      }
      memory.bytes[memory.dataStart + 5] = 0
    }
  })

  test('passes on what a source throws, and works again afterwards', () => {
    const tree = makeSyncTree(manyLeaves(3))
    const label = makeLabel('a/b/0')
    const broken = {
      visitLeaves(visitor: {
        leaf(...run: [typeof label, Uint8Array, number, number, 'raw']): void
      }): void {
        visitor.leaf(label, new Uint8Array(1), 0, 1, 'raw')
        throw new WireError('SS_WIRE_TRUNCATED', 0, 'broken')
      },
    }
    expect(() => tree.update(broken)).toThrow('broken')
    tree.update(looseSource(manyLeaves(4)))
    expect(tree.root).toBe(referenceSyncRoot(manyLeaves(4)))
  })
})

describe('the state tree', () => {
  test('hashes unaligned floats by value', () => {
    const bytes = new Uint8Array(25)
    new DataView(bytes.buffer).setFloat64(1, -0, true)
    const source = {
      visitLeaves(visitor: {
        leaf(...run: [ReturnType<typeof makeLabel>, Uint8Array, number, number, 'f64']): void
      }): void {
        visitor.leaf(makeLabel('units/x/0'), bytes, 1, 24, 'f64')
      },
    }
    expect(buildStateTree(source).root).toBe(
      referenceStateRoot([{ label: 'units/x/0', bytes: new Uint8Array(24) }]),
    )
  })
})
