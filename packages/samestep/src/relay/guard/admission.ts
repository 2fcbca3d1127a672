import { TokenBucket } from '../../base/token-bucket.ts'
import type { OrderRefusal } from '../../wire/codes.ts'
import {
  orderBytesBurstMax,
  orderBytesPerSecondMax,
  ordersBurstMax,
  ordersPerAnswerMax,
  ordersPerSecondMax,
  outboxOrdersMax,
} from '../../wire/limits.ts'
import type { Issuer, OrderRulebook, OrderRuleFault } from '../match/orders/order-table.ts'

/**
 * Whether a seat's new order comes in. The cheapest question first (T-36): more than any honest
 * client can have on its way ends the session; then bytes, then orders per second, then the rules of
 * its kind. Only new orders are asked about: copies, confirmations, hashes and inputs cost nothing
 * here (SEC-09), because honest clients on bad lines send many.
 *
 *     line cut for 10 s ─────────────┐ 64 orders at once
 *     budget  40 ▁▂▃▄▅▆▇███ (full) ──┤ 40 of the burst + 24 of the backlog: all come in
 */

/** What becomes of an order: taken, or why not. */
export type AdmissionVerdict =
  | 'taken'
  /** More than an honest client can send: close with `rate`. */
  | 'flood'
  /** Over a budget: refuse this one order. */
  | Extract<OrderRefusal, 'rate'>
  /** One too many that would wait for the end of a pause. */
  | Extract<OrderRefusal, 'paused'>
  | OrderRuleFault

/** The budgets of one seat, or of one spectator. */
export class Admission {
  readonly #rules: OrderRulebook | undefined
  readonly #orders: TokenBucket
  readonly #bytes: TokenBucket
  /** By class; `undefined` for one without a limit of its own. */
  readonly #classes: (TokenBucket | undefined)[]
  /** Orders since the last answer. */
  #unanswered = 0
  /** Orders that a held-up line may bring on top of the burst, and until when. */
  #backlog = 0
  #backlogUntilMs = Number.NEGATIVE_INFINITY

  /** Without rules, a match takes orders of any kind: their simulations sort them out. */
  constructor(rules: OrderRulebook | undefined, nowMs: number) {
    this.#rules = rules
    this.#orders = new TokenBucket(ordersBurstMax, ordersPerSecondMax, nowMs)
    this.#bytes = new TokenBucket(orderBytesBurstMax, orderBytesPerSecondMax, nowMs)
    this.#classes = (rules?.classes ?? []).map(({ perSecond, burst }) =>
      perSecond === 0 ? undefined : new TokenBucket(burst, perSecond, nowMs),
    )
  }

  /**
   * The client is told how many orders were taken or refused: with every sealed tick, and when a link
   * takes up the session. Only after that can it send more than its outbox holds.
   */
  noteAnswered(): void {
    this.#unanswered = 0
  }

  /**
   * Nothing had come from this client for `gapMs`, or its link was lost that long. What it issued
   * meanwhile comes at once, and is not held against it: what time brought that found the budget full
   * is given all the same. So a line may be cut again and again, and stuttering on purpose gains
   * nothing: over a long time it is still so many per second.
   */
  noteGap(gapMs: number, nowMs: number): void {
    if (!(gapMs >= gapMsMin)) return
    const room = ordersBurstMax - this.#orders.tokens(nowMs - gapMs)
    const brought = Math.floor((Math.min(gapMs, gapMsMax) * ordersPerSecondMax) / 1_000)
    if (brought <= room) return
    const left = nowMs > this.#backlogUntilMs ? 0 : this.#backlog
    this.#backlog = Math.min(left + brought - room, outboxOrdersMax - ordersBurstMax)
    this.#backlogUntilMs = nowMs + backlogMs
  }

  /**
   * A match begins that people waited for in a lobby. What their clients held back for its first tick
   * comes at once, as over a line that was cut.
   */
  noteStarted(nowMs: number): void {
    this.noteGap(gapMsMax, nowMs)
  }

  /**
   * Decides about one new order. What is not taken costs no budget, but counts as sent. `isHoldFull`
   * where no further order of this seat may wait for the end of a pause.
   */
  admit(bytes: Uint8Array, isHoldFull: boolean, nowMs: number, issuer?: Issuer): AdmissionVerdict {
    this.#unanswered += 1
    if (this.#unanswered > ordersPerAnswerMax) return 'flood'
    if (!this.#bytes.has(bytes.byteLength, nowMs)) return 'rate'
    const isOnBacklog = !this.#orders.has(1, nowMs)
    if (isOnBacklog && (this.#backlog === 0 || nowMs > this.#backlogUntilMs)) return 'rate'
    const rules = this.#rules
    if (rules !== undefined) {
      const fault = rules.refusalOf(bytes, issuer)
      if (fault !== undefined) return fault
      if (isHoldFull && rules.waitsInPause(bytes)) return 'paused'
      const bucket = this.#classes[rules.classOf(rules.kindOf(bytes))]
      if (bucket !== undefined && !bucket.take(1, nowMs)) return 'rate'
    }
    this.#bytes.take(bytes.byteLength, nowMs)
    if (isOnBacklog) this.#backlog -= 1
    else this.#orders.take(1, nowMs)
    return 'taken'
  }
}

/** The shortest gap that counts: less is a hiccup, which the burst covers. */
export const gapMsMin = 500

/** How long a backlog may take to come in: a slow line needs some round trips for it. */
const backlogMs = 5_000

/** The longest gap that counts: it brings more than an outbox holds. */
const gapMsMax = 10_000
