import { WireError } from '../../base/errors.ts'
import { diffStates } from '../../sim/game/copies/state-diff.ts'
import type { GameShape, ValidateContext } from '../../sim/game/definition/context.ts'
import type { SealedOrder } from '../../sim/game/run/bundle.ts'
import type { Copy } from '../lanes/copy.ts'
import { isUntouched } from '../lanes/copy.ts'
import type { Finding, RunTick } from '../lanes/lane.ts'
import { makeFinding } from '../lanes/lane.ts'
import type { LaneWorld } from '../lanes/lane-world.ts'

/** Orders that are tried per tick. A frantic tick has more of the same. */
const ordersMax = 4

type Order = ValidateContext<GameShape>['order']

/**
 * Asks `validate` about every order once more than the others do, as an interface that greys out a
 * button would. Whatever it writes or draws then shows at once.
 */
export class PureCheck {
  readonly #world: LaneWorld

  constructor(world: LaneWorld) {
    this.#world = world
  }

  /**
   * `copy` has the state before the tick; it is spoilt if the check fails, and `before` then gives
   * another.
   */
  run({ tick, bundle }: RunTick, copy: Copy, before: () => Copy): Finding | undefined {
    const { validate } = this.#world.game.definition
    if (validate === undefined || bundle.orders.length === 0 || this.#world.skips('pure')) {
      return undefined
    }
    for (const sealed of bundle.orders.slice(0, ordersMax)) {
      const order = this.#decode(sealed)
      if (order === undefined) continue
      this.#ask(tick, order, copy)
      if (!isUntouched(copy.simulation)) return report(tick, order, before(), copy)
    }
    return undefined
  }

  #ask(tick: number, order: Order, { context, simulation }: Copy): void {
    const { derived, options } = context
    const asked = { state: simulation.state, derived, options, tick, seat: order.seat, order }
    try {
      this.#world.base.run(tick, () => this.#world.game.definition.validate?.(asked as never))
    } catch {
      // What it throws is found where the tick itself runs.
    }
  }

  #decode({ seat, bytes }: SealedOrder): Order | undefined {
    try {
      const { type, data } = this.#world.game.orderCodec.decode(bytes)
      return { type: type.name, seat, data } as Order
    } catch (error) {
      if (error instanceof WireError) return undefined
      throw error
    }
  }
}

function report(tick: number, order: Order, before: Copy, after: Copy): Finding {
  return makeFinding({
    check: 'pure',
    lane: 'reload',
    tick,
    place: `validate '${order.type}'`,
    sides: [
      { name: 'before validate', copy: before, systemHashes: [] },
      { name: 'after validate', copy: after, systemHashes: [] },
    ],
    differences: diffStates(before.simulation, after.simulation),
    detail: `validate was asked about '${order.type}' of seat ${order.seat}`,
  })
}
