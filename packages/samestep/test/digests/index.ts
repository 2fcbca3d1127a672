/**
 * Everything of which two engines must compute the same bits, as short digests.
 *
 * This runs in shells of engines that have no console, no TextEncoder and no timers, so nothing
 * here, or behind it, may need more than the language itself.
 */
import { dmathDigests } from './dmath-digest.ts'
import { fixedDigests } from './fixed-digest.ts'
import { gameDigests } from './game-digest.ts'
import { hashDigests } from './hash-digest.ts'
import { patienceDigests } from './patience-digest.ts'
import { randomDigests } from './random-digest.ts'
import { schemaDigests } from './schema-digest.ts'
import { snapshotDigests } from './snapshot-digest.ts'

/** A digest of everything that one function or one scenario computed. */
export type Digest = { readonly name: string; readonly digest: string }

/** A digest, and the part of the library that it speaks for. */
export type GroupedDigest = Digest & { readonly group: string }

/** Every part, in the sequence of the table. `count` is the number of arguments per function. */
const groups: { readonly [group: string]: (count: number) => readonly Digest[] } = {
  dmath: dmathDigests,
  fixed: fixedDigests,
  random: randomDigests,
  hash: () => hashDigests(),
  schema: () => schemaDigests(),
  snapshot: () => snapshotDigests(),
  game: () => gameDigests(),
  patience: () => patienceDigests(),
}

/** Computes all digests in this engine. */
export function collectDigests(count: number): GroupedDigest[] {
  return Object.entries(groups).flatMap(([group, compute]) =>
    compute(count).map(({ name, digest }) => ({ group, name, digest })),
  )
}
