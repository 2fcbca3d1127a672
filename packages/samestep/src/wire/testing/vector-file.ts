import { readFileSync } from 'node:fs'
import { toHex } from '../../sim/hash/hex.ts'
import { wireCases } from './vector-cases.ts'
import {
  encodeBundlesVector,
  encodeBundleVector,
  encodeDeltaVector,
  encodeMessageVector,
  encodeTurnVector,
  type WireVectors,
} from './vectors.ts'

/** Where the golden vectors lie. */
const vectorsFile = new URL('../../../test/vectors/wire.json', import.meta.url)

/** The committed vectors. */
export function readVectors(): WireVectors {
  return JSON.parse(readFileSync(vectorsFile, 'utf8')) as WireVectors
}

/** The vectors as today's code encodes them, in the sequence of the cases. */
export function makeVectors(): WireVectors {
  const { messages, deltas, bundles, relayBundles, clientTurns } = wireCases
  return {
    messages: encodeAll(messages, encodeMessageVector),
    deltas: encodeAll(deltas, encodeDeltaVector),
    bundles: encodeAll(bundles, encodeBundleVector),
    relayBundles: encodeAll(relayBundles, encodeBundlesVector),
    clientTurns: encodeAll(clientTurns, encodeTurnVector),
  }
}

function encodeAll<C>(
  cases: readonly C[],
  encode: (it: C) => Uint8Array,
): (C & { readonly hex: string })[] {
  return cases.map((it) => ({ ...it, hex: toHex(encode(it)) }))
}
