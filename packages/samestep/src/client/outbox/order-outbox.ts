import { UsageError } from '../../base/errors.ts'
import type { OrderOutcome } from '../../sim/game/run/report.ts'
import type { OrderRefusal } from '../../wire/codes.ts'
import { outboxBytesMax, outboxOrdersMax } from '../../wire/limits.ts'
import { areSameBytes } from '../../wire/messages/return-proof.ts'

/**
 * How an order ended. Every issued order ends exactly once. `tick` is the game's tick, not the match tick.
 */
export type OrderEnd =
  | { readonly result: 'executed'; readonly tick: number }
  /**
   * Refused by the relay, by the game's rules or by its `validate`; `tick` is set if it got into a tick.
   */
  | {
      readonly result: 'refused'
      readonly reason: string
      readonly tick: number | undefined
      /** What the game's `validate` or `apply` threw, if one of them did. */
      readonly error?: unknown
    }
  /**
   * The result is unknown: the session ended before it came, the client took over a state from after the
   * tick, or the relay was rebuilt without it.
   */
  | { readonly result: 'lost' }

/** The end of an order that got into a tick. */
export function endOf(outcome: OrderOutcome, tick: number): OrderEnd {
  if (outcome.result === 'executed') return { result: 'executed', tick }
  const why = outcome.error === undefined ? {} : { error: outcome.error }
  return { result: 'refused', reason: outcome.reason, tick, ...why }
}

/** A pending order: issued, then accepted by the relay, then settled. */
export interface PendingOrder {
  /** The issuer's own count, from 0. */
  readonly number: number
  readonly bytes: Uint8Array
  readonly issuedAtMs: number
  settle(end: OrderEnd): void
}

/**
 * Orders that were issued and are not settled yet. The relay accepts them in sequence, each once, however
 * often they are sent. Accepted orders are not sent again, but stay here until their tick.
 */
export class OrderOutbox {
  readonly #pending = new Map<number, PendingOrder>()
  /** The number of the next order. */
  #next = 0
  /** Every order below this was accepted or refused by the relay. */
  #answered = 0
  /** Every order below this was sent over the current link. */
  #sent = 0
  #unansweredBytes = 0
  /** Every order below this was sealed, or never will be. */
  #unsealed = 0
  /** The same for orders that run in a pause: they overtake those that are held until it ends. */
  #unsealedInPause = 0

  get pendingCount(): number {
    return this.#pending.size
  }

  /** Whether an order has no answer from the relay yet. */
  get hasUnanswered(): boolean {
    return this.#answered < this.#next
  }

  /** How many orders the relay has answered; numbers on the wire are near it. */
  get answeredCount(): number {
    return this.#answered
  }

  get hasUnsent(): boolean {
    return this.#sent < this.#next
  }

  /** Adds an order. It is sent with the next turn. */
  issue(bytes: Uint8Array, nowMs: number, settle: (end: OrderEnd) => void): PendingOrder {
    if (this.#pending.size >= outboxOrdersMax || this.#unansweredBytes >= outboxBytesMax) {
      throw outboxFull(this.#pending.size)
    }
    const order: PendingOrder = { number: this.#next, bytes, issuedAtMs: nowMs, settle }
    this.#pending.set(order.number, order)
    this.#next += 1
    this.#unansweredBytes += bytes.byteLength
    return order
  }

  /** A new link: what was sent over the old one may be lost. */
  restart(nextExpected: number): void {
    // The session is older than this outbox: its earlier orders have the lower numbers.
    if (this.#pending.size === 0 && nextExpected > this.#next) this.#next = nextExpected
    this.answer(nextExpected)
    this.#sent = this.#answered
  }

  /**
   * The relay was lost with the orders that it had accepted, and another one expects this number next.
   * Orders from there on that are not settled are sent again, in sequence; the numbers of settled ones are
   * free.
   */
  rewind(nextExpected: number): void {
    const again = [...this.#pending.values()].filter(({ number }) => number >= nextExpected)
    for (const { number } of again) this.#pending.delete(number)
    let next = nextExpected
    this.#unansweredBytes = 0
    for (const order of again) {
      ;(order as { number: number }).number = next
      this.#pending.set(next, order)
      this.#unansweredBytes += order.bytes.byteLength
      next += 1
    }
    this.#next = next
    this.#answered = nextExpected
    this.#sent = nextExpected
    this.#unsealed = Math.min(this.#unsealed, nextExpected)
    this.#unsealedInPause = Math.min(this.#unsealedInPause, nextExpected)
  }

  /** Orders below a number were accepted by a relay that was lost, and are in none of its ticks. */
  loseBelow(limit: number): void {
    for (const number of [...this.#pending.keys()]) {
      if (number < limit) this.#settle(number, { result: 'lost' })
    }
  }

  /**
   * The orders to send now and the number of the first. On datagrams these are all unanswered orders, on
   * streams those not sent yet.
   */
  take(isRepeating: boolean, out: Uint8Array[]): number {
    const first = isRepeating ? this.#answered : this.#sent
    for (let number = first; number < this.#next; number++) {
      out.push((this.#pending.get(number) as PendingOrder).bytes)
    }
    this.#sent = this.#next
    return first
  }

  /** The relay has accepted or refused everything below this number. An older number changes nothing. */
  answer(nextExpected: number): void {
    for (; this.#answered < Math.min(nextExpected, this.#next); this.#answered++) {
      const order = this.#pending.get(this.#answered)
      if (order !== undefined) this.#unansweredBytes -= order.bytes.byteLength
    }
    if (this.#sent < this.#answered) this.#sent = this.#answered
  }

  /** The relay refused an order. A repeated refusal changes nothing. */
  refuse(number: number, reason: OrderRefusal): void {
    this.#settle(number, { result: 'refused', reason, tick: undefined })
  }

  /**
   * Finds an order of this client in a sealed bundle by the low bits of its number. Orders are sealed
   * in sequence: a pending one before the last that was found was refused, and its refusal is still in
   * flight. Only in a pause do orders overtake others, perhaps by more than those bits can count, so
   * the bytes are compared too.
   */
  find(lowNumber: number, bytes: Uint8Array, isPaused: boolean): PendingOrder | undefined {
    const first = isPaused ? this.#unsealedInPause : this.#unsealed
    for (const order of this.#pending.values()) {
      const isNumbered = order.number >= first && order.number % 256 === lowNumber
      if (isNumbered && areSameBytes(order.bytes, bytes)) return order
    }
    return undefined
  }

  /** An order of this client was executed or refused at its tick, in a pause or not. */
  finish(order: PendingOrder, end: OrderEnd, isPaused: boolean): void {
    // It is in a bundle, so the relay has it, whether or not its answer came through.
    this.answer(order.number + 1)
    this.#unsealedInPause = Math.max(this.#unsealedInPause, order.number + 1)
    if (!isPaused) this.#unsealed = order.number + 1
    this.#settle(order.number, end)
  }

  /**
   * Ticks were skipped in which accepted orders may have run: their results are unknown. Orders that were
   * not accepted are still sent.
   */
  loseAnswered(): void {
    for (const number of [...this.#pending.keys()]) {
      if (number < this.#answered) this.#settle(number, { result: 'lost' })
    }
    this.#unsealed = this.#answered
    this.#unsealedInPause = this.#answered
  }

  /** The session is over: pending orders are lost. */
  loseAll(): void {
    for (const number of [...this.#pending.keys()]) this.#settle(number, { result: 'lost' })
    this.#answered = this.#next
    this.#sent = this.#next
    this.#unansweredBytes = 0
  }

  #settle(number: number, end: OrderEnd): void {
    const order = this.#pending.get(number)
    if (order === undefined) return
    this.#pending.delete(number)
    order.settle(end)
  }
}

/** The error for issuing an order while too many are pending. */
export function outboxFull(count: number): UsageError {
  return new UsageError(
    'SS_OUTBOX_FULL',
    `Cannot issue an order: ${count} are pending; the limit is ${outboxOrdersMax} orders or ${outboxBytesMax} bytes`,
  )
}
