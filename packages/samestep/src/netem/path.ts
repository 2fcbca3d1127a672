/**
 * One direction of a line: its conditions as they are now, its bandwidth, and its own random streams.
 * Time is passed in, as whole microseconds that never go back.
 *
 * Every packet draws the same number of times from the path's stream, whatever the conditions are,
 * so that taking one fault away does not change what the others do to later packets. What is drawn
 * only sometimes (which bit flips) comes from a second stream.
 */
import { Prng } from '../base/prng.ts'
import { Bursts } from './bursts.ts'
import type { PathConditions } from './conditions.ts'
import type { DamageRange } from './damage.ts'

/** Packet counts of one path or of many. */
export interface PathStats {
  sent: number
  delivered: number
  /**
   * Lost at random, in a burst, or to damage that the transport detects. For streams: messages that were
   * delayed by it.
   */
  lost: number
  /** Lost to a cut, a partition, or a peer that was gone. */
  cut: number
  tooLarge: number
  queueFull: number
  duplicated: number
  reordered: number
  /** Damaged: delivered damaged, or lost if the transport detects it. */
  corrupted: number
}

/** All counters at zero. */
export function makePathStats(): PathStats {
  return {
    sent: 0,
    delivered: 0,
    lost: 0,
    cut: 0,
    tooLarge: 0,
    queueFull: 0,
    duplicated: 0,
    reordered: 0,
    corrupted: 0,
  }
}

/** The random streams of a path: for every packet, for rare things, for bursts. */
export interface PathRandom {
  readonly each: Prng
  readonly rare: Prng
  readonly burst: Prng
}

/** Streams of their own for a path of this name. */
export function makePathRandom(seed: number, name: string): PathRandom {
  return {
    each: new Prng(seed, `${name}/each`),
    rare: new Prng(seed, `${name}/rare`),
    burst: new Prng(seed, `${name}/burst`),
  }
}

/** One direction of one line. `datagram.ts` and `stream.ts` say what becomes of what is sent. */
export class Path {
  readonly random: PathRandom
  readonly stats: PathStats
  /** How long damaged packets may be; `undefined` where the receiver detects damage: they are lost. */
  readonly damageRange: DamageRange | undefined
  conditions: PathConditions
  /** Cut by its conditions, or by what its owner knows besides. */
  isCut: boolean
  /** Nothing that keeps its place arrives before this. */
  lastArrivalUs = 0
  lastSendUs = 0
  /** Smoothed time between packets: tells how long a delay displaces by one packet. */
  gapUs = 10_000
  /** Since when a stream stands still; −1 when it does not. */
  stalledSinceUs = -1
  /** Whether its sender retransmits into a hole meanwhile, at growing intervals. */
  isRetrying = false
  /** Nothing of a stream arrives before this: it recovers from an outage. */
  notBeforeUs = 0
  #bursts: Bursts | undefined
  /** When the wire is free again, with limited bandwidth. */
  #busyUntilUs = 0

  constructor(
    conditions: PathConditions,
    random: PathRandom,
    stats: PathStats,
    damageRange: DamageRange | undefined,
  ) {
    this.conditions = conditions
    this.isCut = conditions.isCut
    this.random = random
    this.stats = stats
    this.damageRange = damageRange
  }

  /** Replaces what the path does from now on. What is on its way keeps its time of arrival. */
  setConditions(conditions: PathConditions, nowUs: number): void {
    const { burst } = conditions
    if (burst !== this.conditions.burst || (burst !== null && this.#bursts === undefined)) {
      this.#bursts = burst === null ? undefined : new Bursts(burst, this.random.burst, nowUs)
    }
    this.conditions = conditions
    this.isCut = conditions.isCut
  }

  /** The share of packets lost at a moment that is now or to come. */
  lossAt(atUs: number, nowUs: number): number {
    const { burst, loss } = this.conditions
    return this.#bursts?.isBad(atUs, nowUs) === true ? Math.max(burst?.loss ?? 0, loss) : loss
  }

  /** When `byteLength` bytes that are sent now have left, behind all that was sent before. */
  departUs(byteLength: number, nowUs: number): number {
    const { bytesPerSecond, headerBytes } = this.conditions
    if (bytesPerSecond === 0) {
      this.#busyUntilUs = nowUs
      return nowUs
    }
    const startUs = Math.max(nowUs, this.#busyUntilUs)
    this.#busyUntilUs =
      startUs + Math.ceil(((byteLength + headerBytes) * 1_000_000) / bytesPerSecond)
    return this.#busyUntilUs
  }

  /** Bytes that wait for limited bandwidth. */
  queuedBytes(nowUs: number): number {
    const waitUs = Math.max(0, this.#busyUntilUs - nowUs)
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
