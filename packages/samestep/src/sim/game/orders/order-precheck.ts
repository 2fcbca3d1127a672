import type { GameOrder, GameShape } from '../definition/context.ts'
import type { DerivedDeclaration, DerivedDeclarations } from '../derived/derived.ts'
import type { SimulationView } from '../run/simulation-view.ts'
import { brokenRule, readVerdict } from './order-rules.ts'

/** What was found: `error` is what the game's `validate` threw, where it did. */
export interface PrecheckRefusal {
  readonly reason: string
  readonly error?: unknown
}

/**
 * Says what the next tick would say to an order, by the state as it is now: the rules of its declaration
 * and the game's `validate`. A guess, since everybody's orders of the next tick come in between, and one
 * that changes nothing: derived data is computed apart from the simulation's own, each value when
 * `validate` first reads it, once per tick.
 */
export class OrderPrecheck<G extends GameShape, R> {
  readonly #view: SimulationView<G, R>
  readonly #derived: object
  #values = new Map<string, unknown>()
  #derivedTick = -1

  constructor(view: SimulationView<G, R>) {
    this.#view = view
    this.#derived = this.#makeDerived(view.game.definition.derived ?? {})
  }

  /** `undefined` when the order would run. `bytes` are those of an order of the game. */
  refusalOf(seat: number, bytes: Uint8Array): PrecheckRefusal | undefined {
    const { game, seats, isPaused, orderPolicy } = this.#view
    // As everybody will read it: a fraction may have been rounded on its way into bytes.
    const { type, data } = game.orderCodec.decode(bytes)
    const policy = orderPolicy[type.index]
    const reason = brokenRule(type, policy, seat, seats, isPaused)
    if (reason !== undefined) return { reason }
    const order = { type: type.name, seat, data } as unknown as GameOrder<G>
    return this.#validate(seat, order)
  }

  #validate(seat: number, order: GameOrder<G>): PrecheckRefusal | undefined {
    const { game, parts, options, tick, isPaused, matchTick } = this.#view
    const { validate } = game.definition
    if (validate === undefined) return undefined
    if (this.#derivedTick !== matchTick) this.#values.clear()
    this.#derivedTick = matchTick
    const context = {
      state: parts.view,
      derived: this.#derived,
      tick: isPaused ? tick : tick + 1,
      seat,
      order,
      options,
    }
    try {
      const reason = readVerdict(validate(context as unknown as Parameters<typeof validate>[0]))
      return reason === undefined ? undefined : { reason }
    } catch (error) {
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
      return { reason: `validate threw ${text}`, error }
    }
  }

  #makeDerived(declarations: DerivedDeclarations): object {
    const derived = {}
    for (const [name, declaration] of Object.entries(declarations)) {
      const get = () => this.#valueOf(name, declaration)
      Object.defineProperty(derived, name, { enumerable: true, get })
    }
    return derived
  }

  #valueOf(name: string, declaration: DerivedDeclaration<unknown>): unknown {
    if (!this.#values.has(name)) {
      this.#values.set(name, declaration.recompute(this.#view.parts.live, undefined))
    }
    return this.#values.get(name)
  }
}
