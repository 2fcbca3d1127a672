import { join } from 'node:path'
import type { GroupedDigest } from '../digests/index.ts'

/** The file that digests the engine's own Math functions, instead of ours. */
export const builtinsEntry = join(import.meta.dirname, 'builtins-digest.ts')

/** What one engine computed with its own functions. */
export type BuiltinsRun = {
  readonly name: string
  readonly version: string
  readonly digests: readonly GroupedDigest[]
}

/**
 * Function × engine. Equal letters in a row are equal bits; the letters count up from left to
 * right, so that a row of a's is a function on which all agree.
 */
export function makeLetterTable(runs: readonly BuiltinsRun[]): string[][] {
  const heading = ['function', ...runs.map(({ name, version }) => `${name} ${version}`)]
  const names = runs[0]?.digests.map(({ name }) => name) ?? []
  const body = names.map((name) => {
    const seen: string[] = []
    const letters = runs.map(({ digests }) => {
      const digest = digests.find((candidate) => candidate.name === name)?.digest
      if (digest === undefined) return '?'
      if (!seen.includes(digest)) seen.push(digest)
      return String.fromCharCode('a'.charCodeAt(0) + seen.indexOf(digest))
    })
    return [name, ...letters]
  })
  return [heading, ...body]
}
