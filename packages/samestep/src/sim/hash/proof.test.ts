import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StateHash } from './hashes.ts'
import { stateHashFromBytes, stateHashToBytes } from './hashes.ts'
import { makeLabel } from './label.ts'
import type { LeafProof } from './proof.ts'
import { proveLeaf, verifyLeaf } from './proof.ts'
import { hashStateLeaf } from './state-tree.ts'
import { looseSource, manyLeaves } from './testing/sources.ts'
import { buildStateTree, levelCount, levelWidth } from './tree.ts'

const zeroHash = stateHashFromBytes(new Uint8Array(32))

function treeOf(count: number) {
  return buildStateTree(looseSource(manyLeaves(count)))
}

describe('a proof', () => {
  test('holds for every leaf of every small tree, and for no other place, count or leaf', () => {
    for (let count = 1; count <= 20; count++) {
      const tree = treeOf(count)
      for (let index = 0; index < count; index++) {
        const proof = proveLeaf(tree, index)
        const leaf = tree.node(0, index)
        expect(verifyLeaf(tree.root, count, index, leaf, proof)).toBe(true)
        for (let other = 0; other < 24; other++) {
          if (other !== index) expect(verifyLeaf(tree.root, count, other, leaf, proof)).toBe(false)
          if (other !== count) expect(verifyLeaf(tree.root, other, index, leaf, proof)).toBe(false)
        }
        expect(verifyLeaf(tree.root, count, index, zeroHash, proof)).toBe(false)
        expect(verifyLeaf(zeroHash, count, index, leaf, proof)).toBe(false)
      }
    }
  })

  test('starts from a label and bytes, and binds both', () => {
    const leaves = manyLeaves(9)
    const tree = treeOf(9)
    const { label, bytes } = leaves[4]!
    const proof = proveLeaf(tree, 4)
    const holds = (text: string, content: Uint8Array): boolean =>
      verifyLeaf(tree.root, 9, 4, hashStateLeaf(makeLabel(text), content), proof)
    expect(holds(label, bytes)).toBe(true)
    expect(holds('units/column5/0', bytes)).toBe(false)
    expect(holds(label, Uint8Array.of(...bytes, 0))).toBe(false)
    expect(holds(label, bytes.subarray(1))).toBe(false)
  })

  test('of another length than the place demands is refused', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(), (count, seed) => {
        const index = seed % count
        const tree = treeOf(count)
        const proof = proveLeaf(tree, index)
        const leaf = tree.node(0, index)
        expect(verifyLeaf(tree.root, count, index, leaf, proof)).toBe(true)
        const wrong: LeafProof[] = [
          [...proof, zeroHash],
          [zeroHash, ...proof],
          [...proof, tree.node(levelCount(count) - 1, 0)],
        ]
        if (proof.length > 0) wrong.push(proof.slice(1), proof.slice(0, -1), [...proof, ...proof])
        for (const each of wrong) {
          expect(verifyLeaf(tree.root, count, index, leaf, each)).toBe(false)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('with any one digit changed is refused', () => {
    const tree = treeOf(11)
    const proof = proveLeaf(tree, 3)
    const leaf = tree.node(0, 3)
    proof.forEach((sibling, position) => {
      for (let digit = 0; digit < 64; digit++) {
        const changed = sibling[digit] === '0' ? '1' : '0'
        const bad = (sibling.slice(0, digit) + changed + sibling.slice(digit + 1)) as StateHash
        expect(verifyLeaf(tree.root, 11, 3, leaf, proof.with(position, bad))).toBe(false)
      }
    })
  })

  test('for a doubled odd leaf is refused (CVE-2012-2459)', () => {
    // With three leaves, a tree that paired the odd one with itself would also prove a fourth.
    const tree = treeOf(3)
    const last = tree.node(0, 2)
    const doubled: LeafProof = [last, tree.node(1, 0)]
    expect(verifyLeaf(tree.root, 3, 2, last, proveLeaf(tree, 2))).toBe(true)
    expect(verifyLeaf(tree.root, 3, 2, last, doubled)).toBe(false)
    expect(verifyLeaf(tree.root, 4, 2, last, doubled)).toBe(false)
    expect(verifyLeaf(tree.root, 4, 3, last, doubled)).toBe(false)
  })

  test('cannot pass a node as a leaf: the 64-byte trick', () => {
    const tree = treeOf(8)
    for (let level = 1; level < 4; level++) {
      for (let index = 0; index < levelWidth(8, level); index++) {
        const left = stateHashToBytes(tree.node(level - 1, 2 * index))
        const right = stateHashToBytes(tree.node(level - 1, 2 * index + 1))
        const both = Uint8Array.of(...left, ...right)
        const upper: StateHash[] = []
        for (let at = index, up = level; up < 3; up++, at >>>= 1) upper.push(tree.node(up, at ^ 1))
        const leafCount = 8 >>> level
        const attempts = [
          // The node's own hash as a leaf of a smaller tree.
          tree.node(level, index),
          // Its children as the bytes of a leaf, under whatever label.
          hashStateLeaf(makeLabel(''), both),
          hashStateLeaf(makeLabel('units/x/0'), both),
          // The children hashed with and without the mark of a node.
          stateHashFromBytes(createHash('sha256').update(both).digest()),
          stateHashFromBytes(createHash('sha256').update(Uint8Array.of(1)).update(both).digest()),
        ]
        for (const leaf of attempts) {
          for (const count of [leafCount, 8]) {
            expect(verifyLeaf(tree.root, count, index, leaf, upper)).toBe(false)
          }
        }
      }
    }
  })

  test('that is not even data is refused without a throw', () => {
    const tree = treeOf(4)
    const leaf = tree.node(0, 1)
    const proof = proveLeaf(tree, 1)
    const hostile: readonly unknown[] = [
      undefined,
      null,
      'proof',
      { length: 2 },
      [1, 2],
      [proof[0], undefined],
      [proof[0], proof[1]?.toUpperCase()],
      [proof[0], `${proof[1]}0`],
      new Array(2),
    ]
    for (const each of hostile) {
      expect(verifyLeaf(tree.root, 4, 1, leaf, each as LeafProof)).toBe(false)
    }
    for (const number of [-1, 0.5, Number.NaN, 4, 2 ** 32, 2 ** 53, Number.POSITIVE_INFINITY]) {
      expect(verifyLeaf(tree.root, 4, number, leaf, proof)).toBe(false)
      if (number !== 4) expect(verifyLeaf(tree.root, number, 1, leaf, proof)).toBe(false)
    }
    expect(verifyLeaf(tree.root, 4, 1, 'xyz' as StateHash, proof)).toBe(false)
    expect(verifyLeaf(tree.root, 0, 0, leaf, [])).toBe(false)
  })
})
