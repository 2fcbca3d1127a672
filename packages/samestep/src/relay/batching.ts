import { UsageError } from '../base/errors.ts'

/**
 * How many ticks go into one packet to a client (DLY-04). One, always, unless its link is too narrow:
 * then fewer packets save their headers. Astranyx batches by latency, which adds delay where there is
 * most of it; here only measured pressure counts, and it is let go of as soon as it is gone.
 *
 *     pressure   the longer of: queue / 50 ms, sent bytes / allowed bytes
 *     raise      by 1 tick per packet when the pressure was above 1 for 0.5 s, up to 4
 *     lower      by 1 when it was below 0.5 for 3 s
 *     flush      a packet goes out at the latest when its first tick is as old as the limit says
 */

/** Whether packets may wait for each other. */
export type BatchingPolicy = 'never' | 'adaptive'

/** How one client's packets are put together. */
export interface BatchingOptions {
  readonly policy: BatchingPolicy
  readonly intervalMs: number
  /** The longest that a tick may wait for a packet. */
  readonly flushMs?: number
}

/** As in Astranyx: a fourth tick saves little more of the headers than a third did. */
const ticksMax = 4

/** A queue that long is felt; a shorter one is the jitter of any link. */
const queueMsMax = 50

const raiseAfterMs = 500
const lowerAfterMs = 3_000

/** Below that share of what is allowed, one tick less per packet still fits. */
const relaxedPressure = 0.5

/** Three intervals at 30 ticks per second: the first of four ticks waits for three. */
const flushMsDefault = 100

/** Clocks and intervals are not exact to the millisecond. */
const clockMs = 1

/** Decides when the ticks that wait for a client's next packet are sent. */
export class Batching {
  readonly #isAdaptive: boolean
  readonly #flushMs: number
  readonly #intervalMs: number
  #ticksPerPacket = 1
  #highSinceMs = -1
  #lowSinceMs = -1

  constructor(options: BatchingOptions) {
    const { policy, intervalMs, flushMs = flushMsDefault } = options
    if (!(flushMs >= 0)) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot flush after ${flushMs} ms: the limit must be 0 or more`,
      )
    }
    this.#isAdaptive = policy === 'adaptive'
    this.#intervalMs = intervalMs
    this.#flushMs = flushMs
  }

  /** 1 without pressure. */
  get ticksPerPacket(): number {
    return this.#ticksPerPacket
  }

  /**
   * Notes what the link says: how long what waits in front of it takes to drain, the bytes per second
   * that were sent lately, and those that may be; `Infinity` when there is no such limit.
   */
  notePressure(queueMs: number, sentRate: number, allowedRate: number, nowMs: number): void {
    if (!this.#isAdaptive) return
    const pressure = Math.max(queueMs / queueMsMax, sentRate / allowedRate)
    if (pressure > 1) this.#lowSinceMs = -1
    else this.#highSinceMs = -1
    if (pressure > 1) {
      if (this.#highSinceMs < 0) this.#highSinceMs = nowMs
      else if (nowMs - this.#highSinceMs >= raiseAfterMs) this.#move(1, nowMs)
    } else if (pressure >= relaxedPressure) {
      this.#lowSinceMs = -1
    } else if (this.#lowSinceMs < 0) {
      this.#lowSinceMs = nowMs
    } else if (nowMs - this.#lowSinceMs >= lowerAfterMs) {
      this.#move(-1, nowMs)
    }
  }

  /** Whether to send now what waits: so many ticks, the first of them for so long. */
  isDue(waitingTicks: number, oldestMs: number): boolean {
    if (waitingTicks === 0) return false
    if (waitingTicks >= this.#ticksPerPacket) return true
    // The next tick comes an interval from now: if that is too late, so is waiting for it.
    return oldestMs + this.#intervalMs > this.#flushMs + clockMs
  }

  #move(by: 1 | -1, nowMs: number): void {
    this.#ticksPerPacket = Math.min(Math.max(this.#ticksPerPacket + by, 1), ticksMax)
    if (by > 0) this.#highSinceMs = nowMs
    else this.#lowSinceMs = nowMs
  }
}
