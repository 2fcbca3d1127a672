import { ackDelayMs, ackPacketsMax, lazyAckDelayMs, lazyAckPacketsMax } from '../limits.ts'

/** When the next acknowledgement must go out by itself, if no packet takes it along before. */
export class AckSchedule {
  #dueAtMs = Number.POSITIVE_INFINITY
  #count = 0
  #reliableCount = 0

  /** When to send a packet for the acknowledgement's sake; `Infinity` when none is owed. */
  get dueAtMs(): number {
    return this.#dueAtMs
  }

  /** A packet came in that wants an acknowledgement, soon when it carried something reliable. */
  handleReceived(isReliable: boolean, nowMs: number): void {
    this.#count++
    if (isReliable) this.#reliableCount++
    const isMany = this.#reliableCount >= ackPacketsMax || this.#count >= lazyAckPacketsMax
    const delayMs = isMany ? 0 : isReliable ? ackDelayMs : lazyAckDelayMs
    this.#dueAtMs = Math.min(this.#dueAtMs, nowMs + delayMs)
  }

  /** The other side waits for nothing but this answer. */
  hurry(nowMs: number): void {
    this.#dueAtMs = nowMs
  }

  /** A packet went out: each one acknowledges everything. */
  handleSent(): void {
    this.#dueAtMs = Number.POSITIVE_INFINITY
    this.#count = 0
    this.#reliableCount = 0
  }
}
