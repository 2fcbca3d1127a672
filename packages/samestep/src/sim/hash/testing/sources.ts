import { makeLabel } from '../label.ts'
import type { LeafSource } from '../leaf.ts'
import type { StateMemory } from '../memory.ts'
import { createStateMemory } from '../memory.ts'
import type { PlainLeaf } from './reference.ts'

/** Shows leaves that lie wherever the test put them. */
export function looseSource(leaves: readonly PlainLeaf[]): LeafSource {
  const labelled = leaves.map((leaf) => ({ ...leaf, name: makeLabel(leaf.label) }))
  return {
    visitLeaves(visitor) {
      for (const { name, bytes, format } of labelled) {
        visitor.leaf(name, bytes, 0, bytes.length, format ?? 'raw')
      }
    },
  }
}

/** Shows the same leaves from a state memory, each at a multiple of 128 and followed by garbage. */
export function memorySource(
  leaves: readonly PlainLeaf[],
  kernel: 'wasm' | 'js',
): { readonly source: LeafSource; readonly memory: StateMemory } {
  const roomOf = (leaf: PlainLeaf): number => Math.ceil((leaf.bytes.length + 1) / 128) * 128
  const total = leaves.reduce((sum, leaf) => sum + roomOf(leaf), 0)
  const memory = createStateMemory(total, { kernel })
  memory.bytes.fill(0xa5, memory.dataStart)
  let start = memory.dataStart
  const placed = leaves.map((leaf) => {
    const at = start
    memory.bytes.set(leaf.bytes, at)
    start += roomOf(leaf)
    return { leaf, at, name: makeLabel(leaf.label) }
  })
  const source: LeafSource = {
    visitLeaves(visitor) {
      for (const { leaf, at, name } of placed) {
        visitor.leaf(name, memory.bytes, at, leaf.bytes.length, leaf.format ?? 'raw')
      }
    },
  }
  return { source, memory }
}

/** `count` small leaves, all different. */
export function manyLeaves(count: number): PlainLeaf[] {
  return Array.from({ length: count }, (_none, index) => ({
    label: `units/column${index}/0`,
    bytes: Uint8Array.of(index, index >>> 8, 7),
  }))
}
