/** A node's number in its world. Names are for plans and people, numbers for speed. */
export type NodeId = number
