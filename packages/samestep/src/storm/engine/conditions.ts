/**
 * What a link does to packets, as plain data.
 *
 * A path is one direction of a link. Datagrams meet everything below; on a stream nothing is lost,
 * doubled, displaced or damaged: loss shows as a stall of everything behind, as TCP shows it.
 */

/** Times of heavy loss between times of ordinary loss (Gilbert–Elliott, by time instead of packets). */
export interface Burst {
  /** Mean time from the end of a burst to the next. */
  readonly everyMs: number
  /** Mean length. */
  readonly lengthMs: number
  /** Share lost within a burst, 0 to 1. */
  readonly loss: number
}

/** One direction of a link. Shares are from 0 to 1. */
export interface PathConditions {
  readonly latencyMs: number
  /**
   * Mean of what one packet waits on top of the latency: exponential, so now and then it is many
   * times more. Packets behind it wait too, as in a queue, unless they are drawn to overtake.
   */
  readonly jitterMs: number
  readonly loss: number
  readonly burst: Burst | null
  readonly duplicate: number
  /** Share of packets that are overtaken. */
  readonly reorder: number
  /** By how many packets at most. */
  readonly reorderPackets: number
  /** Share of packets with flipped bits, a missing end or a garbage tail. */
  readonly corrupt: number
  /** 0 for no limit. */
  readonly bytesPerSecond: number
  /** What the layers below add to each packet: 28 for UDP over IPv4. Only limited bandwidth shows it. */
  readonly headerBytes: number
  /** Datagrams beyond this backlog are dropped. Means nothing without `bytesPerSecond`. */
  readonly queueBytes: number
  /** Larger datagrams vanish; 0 for no limit. */
  readonly packetBytesMax: number
  /** Nothing passes: datagrams are lost, streams stall. */
  readonly isCut: boolean
  /** Nothing arrives, nothing is lost: everything waits for the end of it. */
  readonly isClogged: boolean
}

/** Some fields of a path: what an overlay changes, or what differs from {@link calmPath}. */
export type PathPatch = { readonly [K in keyof PathConditions]?: PathConditions[K] }

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

/** A good line: 5 ms, no fault, and 64 KiB of queue as a usual router has. */
export const calmPath: PathConditions = {
  latencyMs: 5,
  jitterMs: 0,
  loss: 0,
  burst: null,
  duplicate: 0,
  reorder: 0,
  reorderPackets: 0,
  corrupt: 0,
  bytesPerSecond: 0,
  headerBytes: 0,
  queueBytes: 65_536,
  packetBytesMax: 0,
  isCut: false,
  isClogged: false,
}

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

/**
 * Lays faults over a path: delays add up, of shares and limits the worst counts, a burst replaces.
 * Calm fields of a patch change nothing.
 */
export function overlay(base: PathConditions, patches: readonly PathPatch[]): PathConditions {
  if (patches.length === 0) return base
  const path: { -readonly [K in keyof PathConditions]: PathConditions[K] } = { ...base }
  for (const patch of patches) {
    path.latencyMs += patch.latencyMs ?? 0
    path.jitterMs += patch.jitterMs ?? 0
    path.loss = Math.max(path.loss, patch.loss ?? 0)
    path.burst = patch.burst ?? path.burst
    path.duplicate = Math.max(path.duplicate, patch.duplicate ?? 0)
    path.reorder = Math.max(path.reorder, patch.reorder ?? 0)
    path.reorderPackets = Math.max(path.reorderPackets, patch.reorderPackets ?? 0)
    path.corrupt = Math.max(path.corrupt, patch.corrupt ?? 0)
    path.bytesPerSecond = tighter(path.bytesPerSecond, patch.bytesPerSecond ?? 0)
    path.headerBytes = Math.max(path.headerBytes, patch.headerBytes ?? 0)
    path.queueBytes = Math.min(path.queueBytes, patch.queueBytes ?? path.queueBytes)
    path.packetBytesMax = tighter(path.packetBytesMax, patch.packetBytesMax ?? 0)
    path.isCut ||= patch.isCut ?? false
    path.isClogged ||= patch.isClogged ?? false
  }
  return path
}

/** The smaller of two limits of which 0 means none. */
function tighter(a: number, b: number): number {
  if (a === 0) return b
  return b === 0 ? a : Math.min(a, b)
}
