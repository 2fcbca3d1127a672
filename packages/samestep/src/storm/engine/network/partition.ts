import type { NodeId } from '../node-id.ts'

/** A split of the world: nodes of different groups do not hear each other. */
export interface Partition {
  /** Group of each named node. All others are together in one last group. */
  readonly groups: ReadonlyMap<NodeId, number>
  readonly groupCount: number
  /** True: only packets from an earlier group to a later one are lost; the way back is open. */
  readonly isOneWay: boolean
}

/** A partition from lists of nodes. */
export function makePartition(
  groups: readonly (readonly NodeId[])[],
  isOneWay: boolean,
): Partition {
  const groupOf = new Map<NodeId, number>()
  for (const [index, nodes] of groups.entries()) {
    for (const node of nodes) groupOf.set(node, index)
  }
  return { groups: groupOf, groupCount: groups.length, isOneWay }
}

/** Whether packets from one node to another are lost. */
export function isSeparated(partition: Partition, from: NodeId, to: NodeId): boolean {
  const a = partition.groups.get(from) ?? partition.groupCount
  const b = partition.groups.get(to) ?? partition.groupCount
  return partition.isOneWay ? a < b : a !== b
}
