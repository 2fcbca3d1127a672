import {
  orderBytesBurstMax,
  orderBytesPerSecondMax,
  ordersBurstMax,
  ordersPerSecondMax,
  outboxOrdersMax,
} from '../../wire/limits.ts'

// What one seat may send, written a second time with plain fractions: nothing is kept but how much is
// left and since when.

/** The naive budget of one seat, in orders and bytes. */
export class ModelBudget {
  #orders: number = ordersBurstMax
  #bytes: number = orderBytesBurstMax
  /** What a gap brought beyond a full budget, and until when it may be used. */
  #extra = 0
  #extraUntilMs = 0
  #atMs: number
  #heardAtMs: number

  constructor(nowMs: number) {
    this.#atMs = nowMs
    this.#heardAtMs = nowMs
  }

  /** Something came. After half a second of nothing, what time brought too much is given too. */
  hear(nowMs: number): void {
    const gapMs = nowMs - this.#heardAtMs
    this.#refill(this.#heardAtMs)
    if (gapMs >= 500) {
      const room = ordersBurstMax - Math.floor(this.#orders)
      const beyond = Math.floor((Math.min(gapMs, 10_000) * ordersPerSecondMax) / 1_000) - room
      if (beyond > 0) {
        const left = nowMs > this.#extraUntilMs ? 0 : this.#extra
        this.#extra = Math.min(left + beyond, outboxOrdersMax - ordersBurstMax)
        this.#extraUntilMs = nowMs + 5_000
      }
    }
    this.#heardAtMs = nowMs
  }

  /** Takes one order out, if there is room for it. */
  take(bytes: number, nowMs: number): boolean {
    this.#refill(nowMs)
    if (bytes > this.#bytes) return false
    if (this.#orders >= 1) this.#orders -= 1
    else if (this.#extra > 0 && nowMs <= this.#extraUntilMs) this.#extra -= 1
    else return false
    this.#bytes -= bytes
    return true
  }

  #refill(nowMs: number): void {
    // In thousandths, which are whole: fractions would lose a little each time.
    const ms = Math.max(nowMs - this.#atMs, 0)
    this.#atMs = Math.max(nowMs, this.#atMs)
    const orders = Math.round(this.#orders * 1_000) + ms * ordersPerSecondMax
    const size = Math.round(this.#bytes * 1_000) + ms * orderBytesPerSecondMax
    this.#orders = Math.min(orders / 1_000, ordersBurstMax)
    this.#bytes = Math.min(size / 1_000, orderBytesBurstMax)
  }
}
