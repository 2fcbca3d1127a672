/**
 * Adds to the golden file what it lacks. A vector that is there is never changed: it is the promise. Run
 * it with a runner that knows TypeScript after adding cases.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { toHex } from '../../sim/hash/hex.ts'
import { wireCases } from './vector-cases.ts'
import { readVectors, vectorsFile } from './vector-file.ts'
import {
  encodeBundlesVector,
  encodeBundleVector,
  encodeDeltaVector,
  encodeMessageVector,
  encodeTurnVector,
  type WireVectors,
} from './vectors.ts'

const empty: WireVectors = {
  messages: [],
  deltas: [],
  bundles: [],
  relayBundles: [],
  clientTurns: [],
}
const old = existsSync(vectorsFile) ? readVectors() : empty

function complete<C extends { readonly title: string }, V extends { readonly title: string }>(
  cases: readonly C[],
  vectors: readonly V[],
  encode: (it: C) => Uint8Array,
): (V | (C & { hex: string }))[] {
  const titles = new Set(vectors.map(({ title }) => title))
  const added = cases.filter(({ title }) => !titles.has(title))
  return [...vectors, ...added.map((it) => ({ ...it, hex: toHex(encode(it)) }))]
}

const all = {
  messages: complete(wireCases.messages, old.messages, encodeMessageVector),
  deltas: complete(wireCases.deltas, old.deltas, encodeDeltaVector),
  bundles: complete(wireCases.bundles, old.bundles, encodeBundleVector),
  relayBundles: complete(wireCases.relayBundles, old.relayBundles, encodeBundlesVector),
  clientTurns: complete(wireCases.clientTurns, old.clientTurns, encodeTurnVector),
}

const groups = Object.entries(all).map(([name, vectors]) => {
  const lines = vectors.map((vector) => `    ${JSON.stringify(vector)}`)
  return `  ${JSON.stringify(name)}: [\n${lines.join(',\n')}\n  ]`
})
writeFileSync(vectorsFile, `{\n${groups.join(',\n')}\n}\n`)
