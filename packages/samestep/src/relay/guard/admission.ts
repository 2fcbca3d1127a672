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
 * Decides whether a seat's new order is taken. The cheapest check comes first (T-36): more orders
 * than an honest client can have in flight end the session; then bytes, then orders per second, then
 * the rules of its kind. Only new orders are checked: copies, confirmations, hashes and inputs cost
 * nothing here (SEC-09), because honest clients on bad lines send many.
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
  /** One too many of those that would wait for the end of a pause. */
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
  /** Orders that a stalled line may deliver on top of the burst, and until when. */
  #backlog = 0
  #backlogUntilMs = Number.NEGATIVE_INFINITY

  /** Without rules, a match takes orders of any kind: the simulations reject invalid ones. */
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
   * is attached to the session. Only after that can it send more than its outbox holds.
   */
  noteAnswered(): void {
    this.#unanswered = 0
  }

  /**
   * Nothing arrived from this client for `gapMs`, or its link was lost that long. What it issued
   * meanwhile arrives at once, and is not held against it: what the gap brought beyond a full budget
   * is granted all the same. A line may fail again and again, and stuttering on purpose gains
   * nothing: the rate over a long time stays the same.
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
   * A match begins after a lobby. What clients held back for its first tick arrives at once, as it
   * does after a link was lost.
   */
  noteStarted(nowMs: number): void {
    this.noteGap(gapMsMax, nowMs)
  }

  /**
   * Decides about one new order. An order that is not taken costs no budget, but counts as sent.
   * `isHoldFull` says that no further order of this seat may wait for the end of a pause.
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

/** How long a backlog may take to arrive: a slow line needs some round trips for it. */
const backlogMs = 5_000

/** The longest gap that counts: it brings more than an outbox holds. */
const gapMsMax = 10_000
