import { UsageError } from '../../base/errors.ts'
import type { OrderEnd } from '../../client/outbox/order-outbox.ts'
import { outboxBytesMax, outboxOrdersMax } from '../../wire/limits.ts'

/**
 * Orders that were given to another thread. Each ends exactly once, also when that thread dies; and
 * as it is full before the outbox over there is, what is accepted here is accepted there.
 */
export class PendingOrders {
  readonly #pending = new Map<number, { readonly bytes: number; settle(end: OrderEnd): void }>()
  #next = 0
  #bytes = 0

  /** Takes an order in, and gives its number. Throws `SS_OUTBOX_FULL` when too many wait. */
  add(bytes: number, settle: (end: OrderEnd) => void): number {
    const count = this.#pending.size
    if (count >= outboxOrdersMax || this.#bytes >= outboxBytesMax) {
      throw new UsageError(
        'SS_OUTBOX_FULL',
        `Cannot issue an order: ${count} are pending; the limit is ${outboxOrdersMax} orders or ${outboxBytesMax} bytes`,
      )
    }
    const number = this.#next++
    this.#pending.set(number, { bytes, settle })
    this.#bytes += bytes
    return number
  }

  /** An order has ended. */
  settle(number: number, end: OrderEnd): void {
    const order = this.#pending.get(number)
    if (order === undefined) return
    this.#pending.delete(number)
    this.#bytes -= order.bytes
    order.settle(end)
  }

  /** Nobody will say any more how they ended. */
  loseAll(): void {
    for (const number of [...this.#pending.keys()]) this.settle(number, { result: 'lost' })
  }
}
