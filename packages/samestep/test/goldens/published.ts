/**
 * The published vectors of hashes and random numbers, computed again from the inputs that stand in
 * their files. The slow references compute them, not the library: it cannot bless its own fault,
 * because the tests of the vectors compare the two.
 */
import { readFileSync } from 'node:fs'
import type { LeafFormat } from '../../src/sim/hash/leaf.ts'
import { proveLeaf } from '../../src/sim/hash/proof.ts'
import {
  type PlainLeaf,
  referenceSeed,
  referenceStateLeaf,
  referenceStateRoot,
  referenceSyncLeafText,
  referenceSyncRoot,
} from '../../src/sim/hash/testing/reference.ts'
import { looseSource } from '../../src/sim/hash/testing/sources.ts'
import { buildStateTree } from '../../src/sim/hash/tree.ts'
import { forSimulation, forSyncedEffects } from '../../src/sim/random/seed.ts'
import { referenceOutputs, referenceState } from '../../src/sim/random/testing/random-reference.ts'
import { formatVectors } from './vector-text.ts'

const folder = new URL('../vectors/', import.meta.url)

type HashFile = {
  readonly about: readonly string[]
  readonly labels: readonly { readonly text: string }[]
  readonly leaves: readonly {
    readonly label: string
    readonly format: LeafFormat
    readonly hex?: string
    readonly generated?: number
  }[]
  readonly trees: readonly { readonly leafCount: number }[]
  readonly proofs: readonly { readonly leafCount: number; readonly index: number }[]
}

type RandomFile = {
  readonly about: string
  readonly xoshiro: { readonly state: readonly number[]; readonly outputs: readonly number[] }
  readonly streams: readonly (Sequence & { readonly name: string })[]
  readonly synced: readonly (Sequence & {
    readonly salt: string
    readonly tick: number
    readonly entity: number
  })[]
}

type Sequence = { readonly seed: number | string; readonly outputs: readonly number[] }

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
}

/** `hash.json`, computed again. */
export function makeHashFile(): string {
  const { about, labels, leaves, trees, proofs } = readJson('hash.json') as HashFile
  return formatVectors({
    about,
    labels: labels.map(({ text }) => ({ text, seed: textOf(...referenceSeed(text)) })),
    leaves: leaves.map(({ label, format, hex, generated }) => {
      const bytes = hex === undefined ? generate(generated ?? 0) : Buffer.from(hex, 'hex')
      const leaf: PlainLeaf = { label, format, bytes: Uint8Array.from(bytes) }
      const content = hex === undefined ? { generated } : { hex }
      const sync = referenceSyncLeafText(leaf)
      return { label, format, ...content, sync, state: referenceStateLeaf(leaf).toString('hex') }
    }),
    trees: trees.map(({ leafCount }) => {
      const inner = treeLeaves(leafCount)
      return { leafCount, sync: referenceSyncRoot(inner), state: referenceStateRoot(inner) }
    }),
    proofs: proofs.map(({ leafCount, index }) => {
      const inner = treeLeaves(leafCount)
      const leaf = referenceStateLeaf(inner[index]!).toString('hex')
      const siblings = proveLeaf(buildStateTree(looseSource(inner)), index)
      return { leafCount, index, leaf, siblings }
    }),
  })
}

/** `random.json`, computed again. */
export function makeRandomFile(): string {
  const { about, xoshiro, streams, synced } = readJson('random.json') as RandomFile
  const { state, outputs } = xoshiro
  return formatVectors({
    about,
    xoshiro: { state, outputs: referenceOutputs(state, outputs.length) },
    streams: streams.map(({ seed, name, outputs: { length } }) => ({
      seed,
      name,
      ...sequence(referenceState(forSimulation, String(seed), name), length),
    })),
    synced: synced.map(({ seed, salt, tick, entity, outputs: { length } }) => {
      const units = [...wordsOf(tick), ...wordsOf(entity)]
      const start = referenceState(forSyncedEffects, String(seed), salt, units)
      return { seed, salt, tick, entity, ...sequence(start, length) }
    }),
  })
}

function sequence(state: readonly number[], count: number): object {
  const hex = state.map((word) => word.toString(16).padStart(8, '0'))
  return { state: hex, outputs: referenceOutputs(state, count) }
}

function wordsOf(value: number): number[] {
  return [value >>> 0, Math.floor(value / 0x1_0000_0000) >>> 0]
}

/** High word first, as the files write sync hashes. */
function textOf(low: number, high: number): string {
  return [high, low].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

function generate(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_none, index) => Math.imul(index + 1, 0x9e3779b1) >>> 24)
}

function treeLeaves(count: number): PlainLeaf[] {
  return Array.from({ length: count }, (_none, index) => ({
    label: `units/column${index}/0`,
    bytes: generate(index + 1),
  }))
}
