import { readFileSync } from 'node:fs'
import type { WireVectors } from './vectors.ts'

/** Where the golden vectors lie. */
export const vectorsFile = new URL('../../../test/vectors/wire.json', import.meta.url)

/** The committed vectors. */
export function readVectors(): WireVectors {
  return JSON.parse(readFileSync(vectorsFile, 'utf8')) as WireVectors
}
