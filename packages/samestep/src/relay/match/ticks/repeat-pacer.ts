import type { ChannelStats } from '../../../link/channel.ts'

/**
 * When everything that a client has not confirmed is sent again over datagrams. On a good path it is in
 * every packet, so that a loss costs no round trip (REL-07). On a path that is full, the copies are what
 * fills it: round trips grow, more is unconfirmed, more is repeated, and in the end nothing new passes.
 *
 *     round trip   near its smallest     much longer, or nearly all is lost
 *     everything   in every tick         once per round trip
 *     else                               the newest ticks, as far as a few bytes go
 */
export class RepeatPacer {
  /** The smallest round trip of this period and of the one before. */
  #smallestMs = Number.POSITIVE_INFINITY
  #smallestBeforeMs = Number.POSITIVE_INFINITY
  #periodEndMs = Number.NEGATIVE_INFINITY
  #repeatAtMs = Number.NEGATIVE_INFINITY

  /** Whether everything is sent again now. Asked once per tick. */
  takeTurn({ rttMs, rttVariationMs = 0, lossShare }: ChannelStats, nowMs: number): boolean {
    if (rttMs === undefined) return true
    if (nowMs >= this.#periodEndMs) {
      this.#smallestBeforeMs = this.#smallestMs
      this.#smallestMs = rttMs
      this.#periodEndMs = nowMs + smallestMs
    } else if (rttMs < this.#smallestMs) this.#smallestMs = rttMs
    const queueMs = rttMs - Math.min(this.#smallestMs, this.#smallestBeforeMs)
    // Jitter is no queue.
    const isFull = queueMs > queueMsMax + rttVariationMs || lossShare > lossShareMax
    if (isFull && nowMs < this.#repeatAtMs) return false
    this.#repeatAtMs = nowMs + Math.min(rttMs + 4 * rttVariationMs, repeatMsMax)
    return true
  }
}

/** For how long a smallest round trip is believed: paths change, queues that never empty do not. */
const smallestMs = 10_000

/** What queues may add to the round trip before copies are held against them. */
const queueMsMax = 100

/** Half of what a client waits for before it takes a link for dead. */
const repeatMsMax = 2_000

/** Where nearly nothing arrives, more of it helps nobody. Radio links lose half at their worst. */
const lossShareMax = 0.8
