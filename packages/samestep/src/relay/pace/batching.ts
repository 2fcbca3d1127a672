import { UsageError } from '../../base/errors.ts'
import type { ChannelStats } from '../../link/channel.ts'
import { ticksPerPacketMax } from '../../wire/limits.ts'

/**
 * How many ticks go into one packet to a client (DLY-04). One, always, unless its link is too narrow:
 * then fewer packets save their headers. Astranyx batches by latency, which adds delay where there is
 * most of it; here only a queue in front of the link counts, and it is let go of when that is gone.
 *
 *     pressure   queue / (100 ms + jitter, of which 50 ms count)
 *     raise      by one step when the pressure was above 1 for 0.5 s, up to four ticks of 33 ms per
 *                packet, whatever the tick rate; from two of them to four at once when it is above 4
 *     look       2 s after each raise: a queue that neither grew nor shrank is none, the way is just
 *                longer now. Back to 1; what is longer by that much is no pressure any more
 *     lower      by one step when the pressure was below 0.5 for 3 s; twice as long, up to 60 s, each time
 *                that a lowering had to be taken back within 30 s
 *     copies     left out as soon as there is pressure, and for 60 s after each raise
 *     flush      a packet goes out at the latest when its first tick is as old as the limit says
 */

/** How one client's packets are put together. */
export interface BatchingOptions {
  /** Ticks per second of the game: what waits for each other is a time. 30 by default. */
  readonly tickRate?: number
  /** The longest that a tick may wait for a packet. */
  readonly flushMs?: number
}

/** What a link says about itself. */
export type PathFigures = Pick<ChannelStats, 'queueMs' | 'rttVariationMs'>

/** A shorter queue costs less than batching does, and may be the jitter of any link. */
const queueMsMax = 100

/** What the round trip varies by is no queue, up to that. */
const jitterMsMax = 50

/** Above that, one step at a time would be too slow. */
const pressureMax = 4

const raiseAfterMs = 500

/**
 * After a raise, until what it did can be seen: a second until the client hears of it and answers less
 * often, a round trip, and some samples.
 */
const lookAfterMs = 2_000

/** What a queue moves by in that time at the least when the link was filled or freed by 2.5 %. */
const movedMsMin = 50

const lowerAfterMsMin = 3_000
const lowerAfterMsMax = 60_000

/** A raise so soon after a lowering shows that it was wrong. */
const regretMs = 30_000

/** For how long a link that was narrow gets no copies. */
const sparingMs = 60_000

/** Below that share of what is felt, one step less still fits. */
const relaxedPressure = 0.5

/** Ticks per second at which one step is one tick, and steps that there are. */
const stepsPerSecond = 30
const stepsMax = 4

/** Three intervals at 30 ticks per second: the first of four ticks waits for three. */
export const flushMsDefault = 100

/** Clocks and intervals are not exact to the millisecond. */
const clockMs = 1

/** Decides when the ticks that wait for a client's next packet are sent. */
export class Batching {
  /** The longest that a tick may wait for a packet. */
  readonly flushMs: number
  /** 1 without pressure; then two to four times {@link #stepTicks}. */
  readonly #stepTicks: number
  #steps = 1
  #highSinceMs = -1
  #lowSinceMs = -1
  #lowerAfterMs = lowerAfterMsMin
  #loweredAtMs = Number.NEGATIVE_INFINITY
  /** When the last raise is judged, −1 when it was; and the queue that it was made for. */
  #lookAtMs = -1
  #raisedQueueMs = 0
  #sparingUntilMs = Number.NEGATIVE_INFINITY
  /** What proved to be the way and no queue. */
  #wayMs = 0
  /** Ticks sealed since the last packet, and when the first of them was. */
  #waitingTicks = 0
  #waitingSinceMs = 0

  constructor({ flushMs = flushMsDefault, tickRate = stepsPerSecond }: BatchingOptions = {}) {
    if (!(flushMs >= 0)) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot flush after ${flushMs} ms: the limit must be 0 or more`,
      )
    }
    this.flushMs = flushMs
    this.#stepTicks = Math.max(Math.round(tickRate / stepsPerSecond), 1)
  }

  /** 1 without pressure. */
  get ticksPerPacket(): number {
    return this.#steps === 1 ? 1 : Math.min(this.#steps * this.#stepTicks, ticksPerPacketMax)
  }

  /** When what waits for company goes out all the same; `Infinity` when nothing does. */
  get flushAtMs(): number {
    return this.#waitingTicks === 0 ? Number.POSITIVE_INFINITY : this.#waitingSinceMs + this.flushMs
  }

  /**
   * Whether copies of what is not confirmed are better left out. At once, for a queue is longer by the
   * time that it is noticed; and for a minute, for what fills it again are copies.
   */
  isSparing(nowMs: number): boolean {
    return this.#highSinceMs >= 0 || nowMs < this.#sparingUntilMs
  }

  /** A new link: nothing is known of it. */
  restart(): void {
    this.#steps = 1
    this.#highSinceMs = -1
    this.#lowSinceMs = -1
    this.#lookAtMs = -1
    this.#sparingUntilMs = Number.NEGATIVE_INFINITY
    this.#wayMs = 0
    this.clear()
  }

  /** What waited is sent, or of no use any more. */
  clear(): void {
    this.#waitingTicks = 0
  }

  /** A tick was sealed, and the next one comes after `intervalMs`. Gives whether it waits for company. */
  addTick(path: PathFigures, nowMs: number, intervalMs: number): boolean {
    if (this.#waitingTicks === 0) this.#waitingSinceMs = nowMs
    this.#waitingTicks += 1
    this.notePath(path, nowMs)
    return !this.isDue(this.#waitingTicks, nowMs - this.#waitingSinceMs, intervalMs)
  }

  /** Notes what the link says. Once per tick. */
  notePath({ queueMs, rttVariationMs = 0 }: PathFigures, nowMs: number): void {
    this.#wayMs = Math.min(this.#wayMs, queueMs)
    // A queue that grows makes round trips vary as well: that much is no excuse.
    const jitterMs = Math.min(rttVariationMs, jitterMsMax)
    const pressure = (queueMs - this.#wayMs) / (queueMsMax + jitterMs)
    if (this.#lookAtMs >= 0 && nowMs >= this.#lookAtMs) {
      this.#lookAtMs = -1
      if (pressure > 1 && Math.abs(queueMs - this.#raisedQueueMs) <= movedMsMin + jitterMs) {
        this.#believe(queueMs)
        return
      }
    }
    if (pressure > 1) {
      this.#lowSinceMs = -1
      if (this.#highSinceMs < 0) this.#highSinceMs = nowMs
      else if (nowMs - this.#highSinceMs >= raiseAfterMs) this.#raise(queueMs, pressure, nowMs)
      return
    }
    this.#highSinceMs = -1
    if (pressure >= relaxedPressure) this.#lowSinceMs = -1
    else if (this.#lowSinceMs < 0) this.#lowSinceMs = nowMs
    else if (nowMs - this.#lowSinceMs >= this.#lowerAfterMs) this.#lower(nowMs)
  }

  /** Whether to send now what waits: so many ticks, the first of them for so long. */
  isDue(waitingTicks: number, oldestMs: number, intervalMs: number): boolean {
    if (waitingTicks === 0) return false
    if (waitingTicks >= this.ticksPerPacket) return true
    // The next tick comes an interval from now: if that is too late, so is waiting for it.
    return oldestMs + intervalMs > this.flushMs + clockMs
  }

  /** A way is as long whatever is sent over it: it became longer, and nothing waits in front of it. */
  #believe(wayMs: number): void {
    this.#wayMs = wayMs
    this.#highSinceMs = -1
    this.#sparingUntilMs = Number.NEGATIVE_INFINITY
    this.#steps = 1
  }

  #raise(queueMs: number, pressure: number, nowMs: number): void {
    // What the last one did must be seen before the next.
    if (this.#steps === stepsMax || this.#lookAtMs >= 0) return
    if (nowMs - this.#loweredAtMs < regretMs) {
      this.#lowerAfterMs = Math.min(2 * this.#lowerAfterMs, lowerAfterMsMax)
      // One mistake is regretted once.
      this.#loweredAtMs = Number.NEGATIVE_INFINITY
    }
    // The first step is the smallest: only after it is it sure that there is a queue at all.
    const isLeap = this.#steps > 1 && pressure > pressureMax
    this.#steps = isLeap ? stepsMax : this.#steps + 1
    this.#highSinceMs = nowMs
    this.#lookAtMs = nowMs + lookAfterMs
    this.#sparingUntilMs = nowMs + sparingMs
    this.#raisedQueueMs = queueMs
  }

  #lower(nowMs: number): void {
    this.#lowSinceMs = nowMs
    if (this.#steps === 1) {
      this.#lowerAfterMs = Math.max(this.#lowerAfterMs / 2, lowerAfterMsMin)
      return
    }
    this.#steps -= 1
    this.#loweredAtMs = nowMs
  }
}
