/**
 * What a line does to packets, as plain data. Storms, the run-time conditioner and the command line use
 * the same words, so a condition under which a storm found a bug can be tried by hand.
 *
 * A path is one direction of a line. Datagrams meet everything below. On a stream nothing is lost,
 * duplicated, displaced or damaged: loss shows as a stall of everything behind it, as in TCP.
 */
import { UsageError } from '../base/errors.ts'

/** Periods of heavy loss between periods of ordinary loss (Gilbert–Elliott, by time instead of packets). */
export interface Burst {
  /** Mean time from the end of a burst to the next. */
  readonly everyMs: number
  /** Mean length of a burst. */
  readonly lengthMs: number
  /** Share lost within a burst, 0 to 1. */
  readonly loss: number
}

/** The conditions of one direction. Shares are from 0 to 1. */
export interface PathConditions {
  /** One way. At run time it is added to the latency of the real path. */
  readonly latencyMs: number
  /**
   * The mean extra delay of a packet, exponentially distributed, so now and then it is many times more.
   * Packets behind it are delayed too, as in a queue, unless they are drawn to overtake.
   */
  readonly jitterMs: number
  readonly loss: number
  readonly burst: Burst | null
  readonly duplicate: number
  /** Share of packets that are overtaken. */
  readonly reorder: number
  /** By how many packets at most they are overtaken. */
  readonly reorderPackets: number
  /**
   * Share of packets with flipped bits, a missing end or garbage at the end. At run time UDP and WebRTC
   * detect the damage, so such packets are lost there.
   */
  readonly corrupt: number
  /** 0 for no limit. */
  readonly bytesPerSecond: number
  /**
   * Bytes that the layers below add to each packet: 28 for UDP over IPv4. Matters only if bandwidth is
   * limited.
   */
  readonly headerBytes: number
  /** Datagrams beyond this backlog are dropped. Has no effect without `bytesPerSecond`. */
  readonly queueBytes: number
  /** Larger datagrams vanish; 0 for no limit. */
  readonly packetBytesMax: number
  /** Nothing passes: datagrams are lost, streams stall. */
  readonly isCut: boolean
  /** Nothing arrives and nothing is lost: everything is queued until it ends. */
  readonly isClogged: boolean
}

/** Some fields of a path, as used in changes. */
export type PathPatch = { readonly [K in keyof PathConditions]?: PathConditions[K] }

/** A path that does nothing to packets. Its 64 KiB of queue are what a usual router has. */
export const clearPath: PathConditions = {
  latencyMs: 0,
  jitterMs: 0,
  loss: 0,
  burst: null,
  duplicate: 0,
  reorder: 0,
  reorderPackets: 3,
  corrupt: 0,
  bytesPerSecond: 0,
  headerBytes: 0,
  queueBytes: 65_536,
  packetBytesMax: 0,
  isCut: false,
  isClogged: false,
}

/** A day: longer delays are a mistake, and timers of platforms overflow not far above. */
const delayMsMax = 86_400_000

const delays = ['latencyMs', 'jitterMs'] as const
const shares = ['loss', 'duplicate', 'reorder', 'corrupt'] as const
const counts = [
  'reorderPackets',
  'bytesPerSecond',
  'headerBytes',
  'queueBytes',
  'packetBytesMax',
] as const

/** The conditions with some fields replaced. Throws `SS_BAD_VALUE` for one outside its range. */
export function patchConditions(base: PathConditions, patch: PathPatch): PathConditions {
  const next = { ...base, ...patch }
  for (const key of delays) check(key, next[key], delayMsMax)
  for (const key of shares) check(key, next[key], 1)
  for (const key of counts) check(key, next[key], Number.MAX_SAFE_INTEGER)
  if (next.burst !== null) {
    check('burst.everyMs', next.burst.everyMs, delayMsMax)
    check('burst.lengthMs', next.burst.lengthMs, delayMsMax)
    check('burst.loss', next.burst.loss, 1)
  }
  return next
}

function check(name: string, value: number, max: number): void {
  if (value >= 0 && value <= max) return
  throw new UsageError(
    'SS_BAD_VALUE',
    `Cannot set ${name} to ${value}: it must be a number from 0 to ${max}`,
  )
}

/** Whether a path does nothing at all, so that packets need not even wait for a timer. */
export function isClear(conditions: PathConditions): boolean {
  const { latencyMs, jitterMs, loss, burst, duplicate, reorder, corrupt } = conditions
  const { bytesPerSecond, packetBytesMax, isCut, isClogged } = conditions
  const sum = latencyMs + jitterMs + loss + duplicate + reorder + corrupt
  return sum + bytesPerSecond + packetBytesMax === 0 && burst === null && !isCut && !isClogged
}

/**
 * Lays faults over a path: delays add up, of shares and limits the worst counts, a burst replaces.
 * Fields of a patch that do nothing change nothing.
 */
export function overlay(base: PathConditions, patches: readonly PathPatch[]): PathConditions {
  if (patches.length === 0) return base
  const path: { -readonly [K in keyof PathConditions]: PathConditions[K] } = { ...base }
  for (const patch of patches) {
    for (const key of delays) path[key] += patch[key] ?? 0
    for (const key of shares) path[key] = Math.max(path[key], patch[key] ?? 0)
    path.burst = patch.burst ?? path.burst
    path.reorderPackets = Math.max(path.reorderPackets, patch.reorderPackets ?? 0)
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
