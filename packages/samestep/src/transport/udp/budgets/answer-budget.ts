/**
 * How many strangers are answered. Reading a datagram costs about 6 µs, and an answer as much again
 * with its hashes: a hundred thousand hellos per second that were all answered would take more than a
 * core, and the ticks of running matches with it (T-04). Whoever plays goes first; so answers have a
 * limit, for one address and for all together, and who is not answered asks again.
 *
 * Nothing is allocated: addresses share counters by a hash that nobody outside can foresee, and all
 * counters begin anew every 100 ms.
 */
import type { RandomBytes } from '../crypto/x25519.ts'

/** What a budget is told: answers per window, for one address and for all. */
export interface BudgetLimits {
  readonly perAddress: number
  readonly total: number
}

/** How often the counters begin anew: short, so that a honest stranger is answered at its next try. */
export const budgetWindowMs = 100

/** Counters. Ten thousand honest addresses at once share them by threes, far below any limit. */
const slots = 4_096

/** Token buckets for answers to strangers, per address and in all. */
export class AnswerBudget {
  readonly #limits: BudgetLimits
  readonly #seed: number
  readonly #counts = new Uint16Array(slots)
  #total = 0
  #untilMs = Number.NEGATIVE_INFINITY

  constructor(limits: BudgetLimits, random: RandomBytes) {
    this.#limits = limits
    const bytes = random(4)
    this.#seed = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  }

  /** Takes one answer to this address out of the budget; false when there is none left. */
  take(address: string, nowMs: number): boolean {
    if (nowMs >= this.#untilMs) this.#refill(nowMs)
    if (this.#total >= this.#limits.total) return false
    const slot = this.#slotOf(address)
    if (this.#counts[slot]! >= this.#limits.perAddress) return false
    this.#counts[slot]!++
    this.#total++
    return true
  }

  #refill(nowMs: number): void {
    this.#untilMs = nowMs + budgetWindowMs
    if (this.#total === 0) return
    this.#total = 0
    this.#counts.fill(0)
  }

  /** FNV-1a from a secret begin: who does not know it cannot aim at somebody else's counter. */
  #slotOf(address: string): number {
    let hash = this.#seed
    for (let at = 0; at < address.length; at++) {
      hash = Math.imul(hash ^ address.charCodeAt(at), 0x0100_0193)
    }
    return (hash ^ (hash >>> 15)) & (slots - 1)
  }
}
