/**
 * One direction of a link: its conditions as they are now, its queue, and its own random streams.
 *
 * Every packet draws the same number of times from the path's stream, whatever the conditions are,
 * so that taking one fault out of a plan does not change what the others do to later packets. What is
 * drawn only sometimes (which bit flips) comes from a second stream.
 */
import type { Prng } from '../../base/prng.ts'
import { Bursts } from './bursts.ts'
import type { PathConditions } from './conditions.ts'
import type { Link, LinkEnd } from './link.ts'
import { StreamQueue } from './stream-queue.ts'

/** What stands in a stream's queue. */
export const entryKind = { data: 0, open: 1, fin: 2 } as const

/** The random streams of a path: for every packet, for rare things, for bursts. */
export interface PathRandom {
  readonly each: Prng
  readonly rare: Prng
  readonly burst: Prng
}

/** One direction of one link. */
export class Path {
  readonly link: Link
  /** The side that sends. */
  readonly side: 0 | 1
  readonly random: PathRandom
  conditions: PathConditions
  /** How many partitions separate the two nodes in this direction. */
  partitions = 0
  /** Cut by conditions, a partition or because the link vanished. */
  isCut = false
  bursts: Bursts | undefined

  /** When the wire is free again, with limited bandwidth. */
  busyUntilUs = 0
  /** Nothing that keeps its place arrives before this. */
  lastArrivalUs = 0
  lastSendUs = 0
  /** Smoothed time between packets: tells how long a delay displaces by one packet. */
  gapUs = 10_000
  /** Datagrams that wait for the end of a clog. */
  readonly clogged: number[] = []

  readonly queue = new StreamQueue()
  /** Delivered while the way back was cut: not acknowledged, so the window closes on them. */
  unackedBytes = 0
  /** The event for the first of the queue; −1 when none is set. */
  streamSlot = -1
  /** The event that ends a stalled stream; −1 when none is set. */
  timeoutSlot = -1
  /** Since when the stream stands still; −1 when it does not. */
  stalledSinceUs = -1
  /** Whether the sender retransmits into a hole meanwhile, at growing intervals. */
  isRetrying = false
  notBeforeUs = 0
  /** The receiver does not read. */
  isHeld = false

  constructor(link: Link, side: 0 | 1, conditions: PathConditions, random: PathRandom) {
    this.link = link
    this.side = side
    this.conditions = conditions
    this.random = random
  }

  /** The end that receives. */
  get target(): LinkEnd {
    return this.link.ends[1 - this.side]!
  }

  get source(): LinkEnd {
    return this.link.ends[this.side]!
  }

  get reverse(): Path {
    return this.link.paths[1 - this.side]!
  }

  /** Replaces what the path does from now on. */
  setConditions(conditions: PathConditions, nowUs: number): void {
    const burst = conditions.burst
    if (burst !== this.conditions.burst || (burst !== null && this.bursts === undefined)) {
      this.bursts = burst === null ? undefined : new Bursts(burst, this.random.burst, nowUs)
    }
    this.conditions = conditions
  }

  /** The share of packets lost at a moment that is now or to come. */
  lossAt(atUs: number, nowUs: number): number {
    const bursts = this.bursts
    if (bursts?.isBad(atUs, nowUs) === true) {
      return Math.max(this.conditions.burst?.loss ?? 0, this.conditions.loss)
    }
    return this.conditions.loss
  }

  /** When `byteLength` bytes that are sent now have left, behind all that was sent before. */
  departUs(byteLength: number, nowUs: number): number {
    const { bytesPerSecond, headerBytes } = this.conditions
    if (bytesPerSecond === 0) {
      this.busyUntilUs = nowUs
      return nowUs
    }
    const startUs = Math.max(nowUs, this.busyUntilUs)
    this.busyUntilUs =
      startUs + Math.ceil(((byteLength + headerBytes) * 1_000_000) / bytesPerSecond)
    return this.busyUntilUs
  }

  /** Bytes that wait for limited bandwidth. */
  queuedBytes(nowUs: number): number {
    const waitUs = Math.max(0, this.busyUntilUs - nowUs)
    return (waitUs * this.conditions.bytesPerSecond) / 1_000_000
  }

  /** Latency and what comes on top; one draw, needed or not. */
  travelUs(): number {
    const { latencyMs, jitterMs } = this.conditions
    const { each } = this.random
    const lateMs = jitterMs === 0 ? each.u32() * 0 : jitterMs * each.exponential()
    return Math.round((latencyMs + lateMs) * 1000)
  }
}
