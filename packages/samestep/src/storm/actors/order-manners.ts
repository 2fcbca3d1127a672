/**
 * How an honest player keeps to the rules of the game's orders. A rate counts where orders arrive,
 * and a bad network brings those of ten seconds at once. So what counts here is what may still
 * arrive: an order is open from its issue until a while after it has ended, and no more of a kind are
 * ever open than may come at once.
 *
 * With at most `burst` arrivals in any `burst / perSecond` seconds, a bucket of that size that is
 * filled at that rate never runs dry.
 */
import type { OrderType } from '../../sim/game/orders/order.ts'

type Rules = Pick<OrderType, 'name' | 'maxPerTick' | 'perSecond' | 'burst'>

/** What waits for its turn is carried out within so many ticks, and some are always welcome. */
const waitTicks = 4
const waitingMin = 4

/** Clocks of clients and relays go differently; the window is longer by this much. */
const windowFactor = 1.5
const windowMarginMs = 500

type Open = {
  issued: number
  readonly endedAtMs: number[]
}

/** What one player may issue now. */
export class OrderManners {
  readonly #rules: ReadonlyMap<string, Rules>
  readonly #open = new Map<string, Open>()

  constructor(types: readonly Rules[]) {
    this.#rules = new Map(types.map((type) => [type.name, type]))
  }

  mayIssue(name: string, nowMs: number): boolean {
    const rules = this.#rules.get(name)
    if (rules === undefined) return true
    const { maxPerTick, perSecond, burst } = rules
    const { issued, endedAtMs } = this.#openOf(name)
    if (issued >= waitTicks * maxPerTick + waitingMin) return false
    if (perSecond === 0) return true
    const windowMs = (1_000 * burst * windowFactor) / perSecond + windowMarginMs
    while (endedAtMs.length > 0 && (endedAtMs[0] as number) <= nowMs - windowMs) endedAtMs.shift()
    return issued + endedAtMs.length < burst
  }

  noteIssued(name: string): void {
    this.#openOf(name).issued += 1
  }

  /** It was carried out, refused or lost. */
  noteEnded(name: string, nowMs: number): void {
    const open = this.#openOf(name)
    open.issued -= 1
    if ((this.#rules.get(name)?.perSecond ?? 0) > 0) open.endedAtMs.push(nowMs)
  }

  #openOf(name: string): Open {
    let open = this.#open.get(name)
    if (open === undefined) {
      open = { issued: 0, endedAtMs: [] }
      this.#open.set(name, open)
    }
    return open
  }
}
