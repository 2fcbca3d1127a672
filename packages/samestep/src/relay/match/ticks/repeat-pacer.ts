import type { ChannelStats } from '../../../link/channel.ts'

/**
 * Decides when everything that a client has not confirmed is sent again over datagrams. On a good
 * path, every packet repeats it, so that a loss costs no round trip (REL-07). A congested path is
 * filled by the copies themselves: round trips grow, more is unconfirmed, more is repeated, and in
 * the end nothing new gets through.
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

  /** Whether everything is sent again now. Called once per tick. */
  takeTurn({ rttMs, rttVariationMs = 0, lossShare }: ChannelStats, nowMs: number): boolean {
    if (rttMs === undefined) return true
    if (nowMs >= this.#periodEndMs) {
      this.#smallestBeforeMs = this.#smallestMs
      this.#smallestMs = rttMs
      this.#periodEndMs = nowMs + smallestMs
    } else if (rttMs < this.#smallestMs) this.#smallestMs = rttMs
    const queueMs = rttMs - Math.min(this.#smallestMs, this.#smallestBeforeMs)
    // Jitter is not a queue.
    const isFull = queueMs > queueMsMax + rttVariationMs || lossShare > lossShareMax
    if (isFull && nowMs < this.#repeatAtMs) return false
    this.#repeatAtMs = nowMs + Math.min(rttMs + 4 * rttVariationMs, repeatMsMax)
    return true
  }
}

/** How long a smallest round trip is trusted: paths change, queues that never empty do not. */
const smallestMs = 10_000

/** How much queues may add to the round trip before copies are held back. */
const queueMsMax = 100

/** Half the time after which a client considers a link dead. */
const repeatMsMax = 2_000

/** Where almost nothing arrives, sending more does not help. Radio links lose half at their worst. */
const lossShareMax = 0.8
