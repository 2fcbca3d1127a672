import type { OrderEnd } from '../../client/outbox/order-outbox.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { PrecheckRefusal } from '../../sim/game/orders/order-precheck.ts'
import { reportError } from '../report-error.ts'
import type { Emitter } from './emitter.ts'
import type { IssuedOrder, MatchEvents, OrderEvent, OrderHandle } from './match.ts'
import { makeHandle } from './order-handle.ts'

/** What has to be called when an order has ended: first the one, then, when listeners may hear it, the other. */
export interface OrderEnding {
  settle(end: OrderEnd): void
  tell(end: OrderEnd): void
}

/** The orders that this player issued: those that are on their way, and what listeners hear of each. */
export class IssuedOrders<G extends GameShape, R> {
  readonly #game: Game<G, R>
  readonly #events: Emitter<MatchEvents>
  readonly #pending = new Set<IssuedOrder<G>>()
  #count = 0

  constructor(game: Game<G, R>, events: Emitter<MatchEvents>) {
    this.#game = game
    this.#events = events
  }

  /** Those without an end so far, in the sequence in which they were issued. */
  get pending(): readonly IssuedOrder<G>[] {
    return [...this.#pending]
  }

  /** Issues an order by `send`, at a tick. Throws what `send` throws: then there was none. */
  issue(bytes: Uint8Array, tick: number, send: (ending: OrderEnding) => void): OrderHandle {
    const order = this.#describe(bytes, tick)
    const handle = makeHandle((settle) =>
      send({
        settle: (end) => {
          this.#pending.delete(order)
          settle(end)
        },
        tell: (end) => this.#tell({ order, ...end }),
      }),
    )
    this.#count += 1
    this.#pending.add(order)
    this.#tell({ order, result: 'issued' })
    return handle
  }

  /** An order that is not sent at all. */
  refuse(bytes: Uint8Array, tick: number, { reason, error }: PrecheckRefusal): OrderHandle {
    const order = this.#describe(bytes, tick)
    this.#count += 1
    const why = error === undefined ? {} : { error }
    const end = { result: 'refused', reason, tick: undefined, ...why } as const
    const handle = makeHandle((settle) => settle(end))
    this.#tell({ order, ...end })
    return handle
  }

  /** By its bytes: what the caller gave may change later, and is not yet rounded to its fields. */
  #describe(bytes: Uint8Array, issuedTick: number): IssuedOrder<G> {
    const { type, data } = this.#game.orderCodec.decode(bytes)
    const order = { number: this.#count, name: type.name, data, issuedTick }
    return Object.freeze(order) as unknown as IssuedOrder<G>
  }

  /** A listener that throws keeps no order from being issued. */
  #tell(event: OrderEvent<G>): void {
    try {
      this.#events.emit('order', event as OrderEvent)
    } catch (error) {
      reportError(error)
    }
  }
}
