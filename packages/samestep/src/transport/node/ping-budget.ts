import { pingsPerSecond } from './websocket-limits.ts'

/**
 * Pings and pongs that one WebSocket may still send, the game's or one of signalling (T-25): a bucket
 * that is full at the beginning and fills again by the second.
 */
export class PingBudget {
  #left = pingsPerSecond
  #atMs = 0

  /** Counts one. False when it was one too many. */
  take(nowMs: number): boolean {
    const earned = ((nowMs - this.#atMs) * pingsPerSecond) / 1000
    this.#left = Math.min(pingsPerSecond, this.#left + earned) - 1
    this.#atMs = nowMs
    return this.#left >= 0
  }
}
