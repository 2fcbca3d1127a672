import { mixNode } from '../../sim/hash/mix.ts'
import type { ProbeAsk } from '../../wire/messages/desync-probes.ts'
import { probeFanout } from '../../wire/messages/desync-probes.ts'

/** The nodes of one level of a hash tree, two words each, from the hashes of its leaves. */
export function levelOf(leaves: Uint32Array, level: number): Uint32Array {
  let nodes = leaves
  for (let below = 0; below < level && nodes.length > 2; below++) nodes = raise(nodes)
  return nodes
}

/** Neighbours make a node, and an odd last one moves up as it is: see `sim/hash/tree.ts`. */
function raise(nodes: Uint32Array): Uint32Array {
  const width = nodes.length / 2
  const above = new Uint32Array(2 * Math.ceil(width / 2))
  for (let pair = 0; 2 * pair + 1 < width; pair++) {
    mixNode(nodes, 4 * pair, 4 * pair + 2, above, 2 * pair)
  }
  if (width % 2 === 1) above.set(nodes.subarray(-2), above.length - 2)
  return above
}

/** The nodes of some groups of a level, one after the other. */
export function groupsOf(leaves: Uint32Array, { level, groups }: ProbeAsk<'nodes'>): number[] {
  const nodes = levelOf(leaves, level)
  const size = 2 * probeFanout
  return groups.flatMap((group) => [...nodes.subarray(group * size, (group + 1) * size)])
}
