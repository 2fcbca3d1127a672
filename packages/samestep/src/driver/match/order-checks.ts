import type { GameShape } from '../../sim/game/definition/context.ts'
import type { PrecheckRefusal } from '../../sim/game/orders/order-precheck.ts'
import { OrderPrecheck } from '../../sim/game/orders/order-precheck.ts'
import { spectatorSeat } from '../../sim/game/run/bundle.ts'
import type { SimulationView } from '../../sim/game/run/simulation-view.ts'
import type { Match } from './match.ts'

/** Says of orders whether they would run, before they are issued. */
export class OrderChecks<G extends GameShape, R> {
  #precheck: OrderPrecheck<G, R> | undefined
  #view: SimulationView<G, R> | undefined

  /** `undefined` when the order would run; `view` is the simulation, once there is one. */
  refusalOf(
    match: Pick<Match<G, R>, 'status' | 'seat' | 'member' | 'playState'>,
    view: SimulationView<G, R> | undefined,
    bytes: Uint8Array,
  ): PrecheckRefusal | undefined {
    const { seat, member = 0, status } = match
    if (status === 'closed') return { reason: 'The session is over' }
    if (view === undefined) return { reason: 'The match is in its lobby' }
    // There is a state, but not that of the match.
    const { name } = match.playState()
    if (name === 'authorised' || name === 'downloading' || name === 'loading') {
      return { reason: 'The state of the match is still on its way' }
    }
    if (this.#precheck === undefined || this.#view !== view) {
      this.#view = view
      this.#precheck = new OrderPrecheck(view)
    }
    return this.#precheck.refusalOf(seat ?? spectatorSeat(member), bytes)
  }
}
