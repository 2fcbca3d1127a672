import { diffTrees } from '../../hash/diff.ts'
import type { Difference } from '../../state/part.ts'
import type { Simulation } from '../run/simulation.ts'

/** More would not be read; the first is nearly always the one that counts. */
const differencesMax = 16

/** What differs between the states of two simulations: cells and values, by name. */
export function diffStates(a: Simulation, b: Simulation): Difference[] {
  const differences: Difference[] = []
  const leaves = diffTrees(a.syncTree(), b.syncTree())
  const wanted = new Set(leaves.map(({ label }) => label))
  const bytesA = leafBytes(a, wanted)
  const bytesB = leafBytes(b, wanted)
  for (const { label } of leaves) {
    if (differences.length >= differencesMax) break
    const mine = bytesA.get(label) ?? new Uint8Array(0)
    const theirs = bytesB.get(label) ?? new Uint8Array(0)
    differences.push(...a.explainLeaf(label, mine, theirs))
  }
  return differences.sort(byWeight).slice(0, differencesMax)
}

/** The bytes of the named leaves. */
function leafBytes(
  simulation: Simulation,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, Uint8Array> {
  const found = new Map<string, Uint8Array>()
  simulation.parts.visitLeaves({
    leaf(label, bytes, start, byteLength) {
      if (wanted.has(label.text)) found.set(label.text, bytes.slice(start, start + byteLength))
    },
  })
  return found
}

/** What the game declared comes before what the engine keeps: a random stream follows from it. */
function byWeight(a: Difference, b: Difference): number {
  return Number(a.part.startsWith('#')) - Number(b.part.startsWith('#'))
}
