import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { StateHash } from './hashes.ts'
import { syncHashFromWords } from './hashes.ts'
import { makeLabel } from './label.ts'
import type { LeafFormat } from './leaf.ts'
import { createStateMemory } from './memory.ts'
import { proveLeaf, verifyLeaf } from './proof.ts'
import { hashStateLeaf } from './state-tree.ts'
import type { PlainLeaf } from './testing/reference.ts'
import {
  referenceSeed,
  referenceStateLeaf,
  referenceStateRoot,
  referenceSyncLeafText,
  referenceSyncRoot,
} from './testing/reference.ts'
import { looseSource, memorySource } from './testing/sources.ts'
import { buildStateTree, SyncTree } from './tree.ts'

type Vectors = {
  readonly labels: readonly { readonly text: string; readonly seed: string }[]
  readonly leaves: readonly {
    readonly label: string
    readonly format: LeafFormat
    readonly hex?: string
    readonly generated?: number
    readonly sync: string
    readonly state: string
  }[]
  readonly trees: readonly {
    readonly leafCount: number
    readonly sync: string
    readonly state: StateHash
  }[]
  readonly proofs: readonly {
    readonly leafCount: number
    readonly index: number
    readonly leaf: StateHash
    readonly siblings: readonly StateHash[]
  }[]
}

const path = join(import.meta.dirname, '..', '..', '..', 'test', 'vectors', 'hash.json')
const vectors: Vectors = JSON.parse(readFileSync(path, 'utf8'))

function generate(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_none, index) => Math.imul(index + 1, 0x9e3779b1) >>> 24)
}

function treeLeaves(count: number): PlainLeaf[] {
  return Array.from({ length: count }, (_none, index) => ({
    label: `units/column${index}/0`,
    bytes: generate(index + 1),
  }))
}

describe('the published vectors', () => {
  test.each(vectors.labels)('label $text', ({ text, seed }) => {
    const { seedLo, seedHi } = makeLabel(text)
    expect(syncHashFromWords(seedLo, seedHi)).toBe(seed)
    expect(syncHashFromWords(...referenceSeed(text))).toBe(seed)
  })

  test.each(vectors.leaves)('leaf $label, $format, $generated $hex', (vector) => {
    const { label, format } = vector
    const bytes =
      vector.hex === undefined
        ? generate(vector.generated ?? 0)
        : Uint8Array.from(Buffer.from(vector.hex, 'hex'))
    expect(referenceSyncLeafText({ label, bytes, format })).toBe(vector.sync)
    expect(referenceStateLeaf({ label, bytes, format }).toString('hex')).toBe(vector.state)
    expect(hashStateLeaf(makeLabel(label), bytes, format)).toBe(vector.state)
    const out = new Uint32Array(2)
    for (const kernel of ['wasm', 'js'] as const) {
      const memory = createStateMemory(bytes.length, { kernel })
      memory.bytes.set(bytes, memory.dataStart)
      memory.kernel.leaf(makeLabel(label), memory.dataStart, bytes.length, format, out, 0)
      expect(syncHashFromWords(out[0]!, out[1]!), kernel).toBe(vector.sync)
    }
  })

  test.each(vectors.trees)('tree of $leafCount leaves', ({ leafCount, sync, state }) => {
    const leaves = treeLeaves(leafCount)
    expect(referenceSyncRoot(leaves)).toBe(sync)
    expect(referenceStateRoot(leaves)).toBe(state)
    expect(buildStateTree(looseSource(leaves)).root).toBe(state)
    const tree = new SyncTree()
    for (const kernel of ['wasm', 'js'] as const) {
      const { source, memory } = memorySource(leaves, kernel)
      tree.update(source, memory)
      expect(tree.root, kernel).toBe(sync)
    }
  })

  test.each(vectors.proofs)('proof for leaf $index of $leafCount', (vector) => {
    const { leafCount, index, leaf, siblings } = vector
    const tree = buildStateTree(looseSource(treeLeaves(leafCount)))
    expect(proveLeaf(tree, index)).toEqual(siblings)
    const root = vectors.trees.find((each) => each.leafCount === leafCount)?.state
    expect(root).toBe(tree.root)
    expect(verifyLeaf(tree.root, leafCount, index, leaf, siblings)).toBe(true)
  })
})
