/**
 * The shape that the sync tree and the state tree share. Leaves stand in canonical sequence; two
 * neighbours make a node, an odd last one moves up as it is, and the root binds the number of
 * leaves:
 *
 *     level 2            N                 root = H(2 ‖ leafCount ‖ top)
 *     level 1       N         L2           node = H(1 ‖ left ‖ right)
 *     level 0    L0   L1      L2           leaf = H(0 ‖ label ‖ bytes)
 *
 * The prefix 0, 1 or 2 keeps a leaf from passing as a node and a node as a root. Moving the odd node
 * up, instead of pairing it with itself, keeps a state whose last leaves are doubled from having the
 * same root (the mistake behind CVE-2012-2459). The shape is that of RFC 6962.
 *
 * A leaf is at most `leafRowsMax` = 16 384 rows of one column. One leaf of 32-bit cells is then
 * 64 KiB, as much as one side may be asked to send to find a difference; and the fixed cost of a
 * leaf, about 1 µs with SHA-256, is small beside the 35 µs that hashing 64 KiB takes.
 */
export type { StateHash, SyncHash } from './hashes.ts'
export { stateHashFromBytes, syncHashFromWords } from './hashes.ts'
export { buildStateTree, StateTree } from './state-tree.ts'
export { SyncTree } from './sync-tree.ts'
export type { HashTree } from './tree-shape.ts'
export { levelCount, levelWidth } from './tree-shape.ts'
