/**
 * How many handshakes are computed. The cryptography of one takes half a millisecond of CPU on a quiet
 * machine, and the link that comes of it more than that again, so an address with hundreds per second
 * would take a good part of a core. Each address has a share; and of what all have together, a part is for addresses that ask for little, so that a
 * few busy ones never use up everything.
 *
 * Only addresses that have proved themselves with a cookie are counted, so nobody can use up somebody
 * else's share, and the table holds at most `total` of them. Who gets nothing asks again: its client
 * repeats its message within a second.
 */

/** What a budget is told: handshakes in each window. */
export interface HandshakeLimits {
  readonly windowMs: number
  readonly perAddress: number
  readonly total: number
  /** How many of the total only go to addresses that had fewer than `few`. */
  readonly reserved: number
  readonly few: number
}

/** Token buckets for handshakes, per address and in all. */
export class HandshakeBudget {
  readonly #limits: HandshakeLimits
  readonly #counts = new Map<string, number>()
  #total = 0
  #untilMs = Number.NEGATIVE_INFINITY

  constructor(limits: HandshakeLimits) {
    this.#limits = limits
  }

  /** Takes one handshake of this address block out of the budget; false when there is none left. */
  take(block: string, nowMs: number): boolean {
    const { perAddress, total, reserved, few } = this.#limits
    if (nowMs >= this.#untilMs) this.#refill(nowMs)
    const used = this.#counts.get(block) ?? 0
    const isOpenToAll = this.#total < total - reserved
    if (used >= perAddress || this.#total >= total) return false
    if (!isOpenToAll && used >= few) return false
    this.#counts.set(block, used + 1)
    this.#total++
    return true
  }

  #refill(nowMs: number): void {
    this.#untilMs = nowMs + this.#limits.windowMs
    this.#total = 0
    this.#counts.clear()
  }
}
