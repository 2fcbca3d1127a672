import { WireError } from '../../../base/errors.ts'
import type { CodeWatch } from '../../guard/code-watch.ts'
import type { PartDeclarations } from '../../state/part.ts'
import type { State } from '../../state/state.ts'
import type { GameOrder, GameShape, StepContext } from '../definition/context.ts'
import type { Game } from '../definition/define-game.ts'
import type { SealedOrder } from '../run/bundle.ts'
import type { ReportBuilder } from '../run/report.ts'
import type { KindPolicy, OrderType } from './order.ts'
import { brokenRule, readVerdict } from './order-rules.ts'

const noOrders: readonly never[] = Object.freeze([])

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The options of an order runner. */
export interface OrderRunnerContext<G extends GameShape> {
  readonly step: StepContext<G>
  readonly parts: State<PartDeclarations>
  readonly report: ReportBuilder
  readonly development: boolean
  readonly watch: CodeWatch | undefined
  /** The rules that the match sets for each kind of order, by number. */
  readonly policy: readonly KindPolicy[]
}

/**
 * Runs the sealed orders of one tick: decoding, rules, `validate` and `apply`. Every failure has the
 * same outcome on every machine: the order does not run to its end, and the report says why.
 */
export class OrderRunner<G extends GameShape> {
  readonly #game: Game<G>
  readonly #step: StepContext<G>
  readonly #parts: State<PartDeclarations>
  readonly #report: ReportBuilder
  readonly #development: boolean
  readonly #watch: CodeWatch | undefined
  readonly #policy: readonly KindPolicy[]
  /** Orders of this tick by seat and kind, for `maxPerTick`. All spectators count as one more seat. */
  readonly #counts: Uint16Array
  readonly #kinds: number
  /** One object for all orders, like the step's for all ticks: a copy per order cost 3 % of a tick. */
  readonly #applyContext: Mutable<StepContext<G>> & {
    seat: number
    order: GameOrder<G> | undefined
  }

  constructor(game: Game<G>, context: OrderRunnerContext<G>) {
    const { step, parts, report, development, watch } = context
    this.#game = game
    this.#step = step
    this.#parts = parts
    this.#report = report
    this.#development = development
    this.#watch = watch
    this.#policy = context.policy
    this.#applyContext = Object.assign({ seat: 0, order: undefined }, step)
    this.#kinds = game.orderCodec.types.length
    this.#counts = new Uint16Array(Math.max(this.#kinds, 1) * (game.seats.max + 1))
  }

  /** Runs the orders, and returns those that the step gets. */
  run(orders: readonly SealedOrder[], isPaused: boolean): readonly GameOrder<G>[] {
    if (orders.length === 0) return noOrders
    this.#counts.fill(0)
    const passed: GameOrder<G>[] = []
    for (const sealed of orders) {
      const order = this.#runOne(sealed, isPaused)
      if (order !== undefined) passed.push(order)
    }
    return passed
  }

  #runOne(sealed: SealedOrder, isPaused: boolean): GameOrder<G> | undefined {
    const decoded = this.#decode(sealed)
    if (decoded === undefined) return undefined
    const { type, data } = decoded
    const order = { type: type.name, seat: sealed.seat, data } as unknown as GameOrder<G>
    const broken = this.#checkRules(type, sealed.seat, isPaused)
    const refusal = broken === undefined ? this.#validate(order, sealed) : { reason: broken }
    if (refusal !== undefined) {
      this.#report.outcome(sealed, type.name, 'refused', refusal.reason, refusal.error)
      return undefined
    }
    if (!this.#apply(order, sealed)) return undefined
    this.#report.outcome(sealed, type.name, 'executed', '')
    return order
  }

  #decode(sealed: SealedOrder): { readonly type: OrderType; readonly data: unknown } | undefined {
    try {
      return this.#game.orderCodec.decode(sealed.bytes)
    } catch (error) {
      // Catches whatever a codec throws: the relay does not look into orders, so any bytes may be
      // sealed. The text of an engine's own error differs between engines, so it is not reported.
      const reason = error instanceof WireError ? error.message : 'It cannot be read'
      this.#report.outcome(sealed, undefined, 'malformed', reason)
      return undefined
    }
  }

  /** Checks the rules of the order's declaration; returns the reason if one forbids it. */
  #checkRules(type: OrderType, seat: number, isPaused: boolean): string | undefined {
    const policy = this.#policy[type.index]
    const broken = brokenRule(type, policy, seat, this.#step.seats, isPaused)
    if (broken !== undefined || type.by === 'relay') return broken
    const row = seat < 0 ? this.#game.seats.max : seat
    const index = row * this.#kinds + type.index
    const count = this.#counts[index] as number
    if (count >= type.maxPerTick) return `More than ${type.maxPerTick} '${type.name}' in one tick`
    this.#counts[index] = count + 1
    return undefined
  }

  #validate(order: GameOrder<G>, sealed: SealedOrder): Refusal | undefined {
    const { validate } = this.#game.definition
    if (validate === undefined) return undefined
    const { derived, tick, options } = this.#step
    // In development, the view throws at the first write, so that an impure `validate` is found.
    const state = this.#development ? this.#parts.view : this.#parts.live
    this.#watch?.enter('validate', nameOf(order))
    try {
      const verdict: unknown = validate({
        state,
        derived,
        tick,
        seat: sealed.seat,
        order,
        options,
      } as unknown as Parameters<typeof validate>[0])
      this.#report.refusePromise('validate', nameOf(order), verdict, sealed.seat)
      const reason = readVerdict(verdict)
      return reason === undefined ? undefined : { reason }
    } catch (error) {
      this.#report.fault('validate', nameOf(order), error, sealed.seat)
      return { reason: 'validate threw', error }
    } finally {
      this.#watch?.leave()
    }
  }

  /** Returns false if the order faulted. What it wrote before it threw stays, on every machine alike. */
  #apply(order: GameOrder<G>, sealed: SealedOrder): boolean {
    const { apply } = this.#game.definition
    if (apply === undefined) return true
    const context = this.#applyContext
    const { tick, inputs, orders, events } = this.#step
    context.tick = tick
    context.inputs = inputs
    context.orders = orders
    context.events = events
    context.seat = sealed.seat
    context.order = order
    this.#watch?.enter('apply', nameOf(order))
    try {
      const result: unknown = apply(context as unknown as Parameters<typeof apply>[0])
      this.#report.refusePromise('apply', nameOf(order), result, sealed.seat)
      return true
    } catch (error) {
      this.#report.fault('apply', nameOf(order), error, sealed.seat)
      this.#report.outcome(sealed, nameOf(order), 'faulted', 'apply threw', error)
      return false
    } finally {
      this.#watch?.leave()
    }
  }
}

/** Why an order is not executed, and what was thrown, if anything. */
interface Refusal {
  readonly reason: string
  readonly error?: unknown
}

function nameOf(order: unknown): string {
  return (order as { readonly type: string }).type
}
