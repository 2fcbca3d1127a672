/** What the links of a world are like: two paths, and what the ends of a link do by themselves. */
import type { PathConditions, PathPatch } from '../../../netem/conditions.ts'
import { clearPath } from '../../../netem/conditions.ts'

/** A link's conditions. What is left out is calm. */
export interface Conditions {
  readonly kind: 'stream' | 'datagram'
  /** From the node that connects to the other. */
  readonly there?: PathPatch
  /** The way back; as `there` when left out. */
  readonly back?: PathPatch
  /** Bytes that the operating system takes before a stream's sender sees a backlog. */
  readonly bufferBytes?: number
  /** A stream dies for its sender after so long without progress. */
  readonly streamTimeoutMs?: number
  /** Connecting fails after so long. */
  readonly connectTimeoutMs?: number
}

/** A good line: 5 ms and no fault. Plans count on a packet being overtaken by one other at most. */
export const calmPath: PathConditions = { ...clearPath, latencyMs: 5, reorderPackets: 0 }

/** A usual socket buffer. */
export const bufferBytesDefault = 65_536
/** What Linux gives up after: 15 retries. Our own liveness must be much quicker. */
export const streamTimeoutMsDefault = 900_000
/** What browsers wait at least before a connection attempt fails. */
export const connectTimeoutMsDefault = 20_000

/** The conditions of one direction with every field filled in. */
export function pathOf(conditions: Conditions, way: 'there' | 'back'): PathConditions {
  const patch = way === 'there' ? conditions.there : (conditions.back ?? conditions.there)
  return { ...calmPath, ...patch }
}
