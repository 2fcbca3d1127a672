/**
 * How many requests one address may make in a while. An answer costs about 50 µs, so the budget of one
 * address is a hundredth of a core; a page of hundreds of files and a house full of players stay far
 * below it.
 */
import { addressBlock } from './address-block.ts'
import { budgetBlocksMax, requestsPerAddressMax, requestsWindowMs } from './websocket-limits.ts'

/** Counts by address block. Every count begins anew at the same time. */
export class RequestBudget {
  readonly #perAddressMax: number
  readonly #counts = new Map<string, number>()
  #untilMs = Number.NEGATIVE_INFINITY

  constructor(perAddressMax = requestsPerAddressMax) {
    this.#perAddressMax = perAddressMax
  }

  /** Takes one request of this address out of its budget; false when nothing is left. */
  take(address: string, nowMs: number): boolean {
    if (nowMs >= this.#untilMs) {
      this.#counts.clear()
      this.#untilMs = nowMs + requestsWindowMs
    }
    const block = addressBlock(address)
    const count = (this.#counts.get(block) ?? 0) + 1
    if (count > this.#perAddressMax) return false
    if (count === 1 && this.#counts.size >= budgetBlocksMax) this.#forgetOldest()
    this.#counts.set(block, count)
    return true
  }

  #forgetOldest(): void {
    const [oldest] = this.#counts.keys()
    this.#counts.delete(oldest!)
  }
}
