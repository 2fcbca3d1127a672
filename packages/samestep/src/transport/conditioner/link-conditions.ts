/**
 * What a conditioned link does to packets, as plain data, in the words of the storms: a condition
 * that a storm found trouble with can be played by hand.
 */
import { UsageError } from '../../base/errors.ts'

/** Times of heavy loss between times of ordinary loss. */
export interface LinkBurst {
  /** Mean time from the end of a burst to the next. */
  readonly everyMs: number
  /** Mean length. */
  readonly lengthMs: number
  /** Share lost within a burst, 0 to 1. */
  readonly loss: number
}

/**
 * One direction of a link. Shares are from 0 to 1. On a stream nothing is lost, doubled, displaced or
 * damaged: loss shows as a stall of everything behind, as TCP shows it.
 */
export interface LinkConditions {
  /** One way, on top of what the path has by itself. */
  readonly latencyMs: number
  /**
   * Mean of what one packet waits on top of the latency: exponential, so now and then it is many
   * times more. Packets behind it wait too, as in a queue, unless they are drawn to overtake.
   */
  readonly jitterMs: number
  readonly loss: number
  readonly burst: LinkBurst | null
  readonly duplicate: number
  /** Share of packets that are overtaken. */
  readonly reorder: number
  /** By how many packets at most. */
  readonly reorderPackets: number
  /**
   * Share of packets with flipped bits, a missing end or a garbage tail. UDP and WebRTC find all of
   * them out, so that they are lost there; other datagrams arrive as they are.
   */
  readonly corrupt: number
  /** 0 for no limit. */
  readonly bytesPerSecond: number
  /** Datagrams beyond this backlog are dropped. Means nothing without `bytesPerSecond`. */
  readonly queueBytes: number
  /** Larger datagrams vanish; 0 for no limit. */
  readonly packetBytesMax: number
  /** Nothing passes: datagrams are lost, streams stall. */
  readonly isCut: boolean
  /** Nothing arrives, nothing is lost: everything waits for the end of it. */
  readonly isClogged: boolean
}

/** Some fields of a direction: what a change changes. */
export type LinkPatch = { readonly [K in keyof LinkConditions]?: LinkConditions[K] }

/** A link that does nothing to packets; and 64 KiB of queue, as a usual router has. */
export const clearLink: LinkConditions = {
  latencyMs: 0,
  jitterMs: 0,
  loss: 0,
  burst: null,
  duplicate: 0,
  reorder: 0,
  reorderPackets: 3,
  corrupt: 0,
  bytesPerSecond: 0,
  queueBytes: 65_536,
  packetBytesMax: 0,
  isCut: false,
  isClogged: false,
}

/** A day: longer delays are a mistake, and timers of platforms overflow not far above. */
const delayMsMax = 86_400_000

/** The conditions with some fields replaced. Throws `SS_BAD_VALUE` for one outside its range. */
export function patchConditions(base: LinkConditions, patch: LinkPatch): LinkConditions {
  const next = { ...base, ...patch }
  for (const key of ['latencyMs', 'jitterMs'] as const) check(key, next[key], delayMsMax)
  for (const key of ['loss', 'duplicate', 'reorder', 'corrupt'] as const) check(key, next[key], 1)
  for (const key of ['reorderPackets', 'bytesPerSecond', 'queueBytes', 'packetBytesMax'] as const) {
    check(key, next[key], Number.MAX_SAFE_INTEGER)
  }
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

/** Whether a direction does nothing at all, so that packets need not even wait for a timer. */
export function isClear(conditions: LinkConditions): boolean {
  const { latencyMs, jitterMs, loss, burst, duplicate, reorder, corrupt } = conditions
  const { bytesPerSecond, packetBytesMax, isCut, isClogged } = conditions
  const sum = latencyMs + jitterMs + loss + duplicate + reorder + corrupt
  return sum + bytesPerSecond + packetBytesMax === 0 && burst === null && !isCut && !isClogged
}
