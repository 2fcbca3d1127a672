/** Scripts as people write them: orders by name, with the values that they are. */
import { UsageError, WireError } from '../../base/errors.ts'
import type { GameInput, GameShape, InputFields } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { OrderData } from '../../sim/game/orders/order.ts'
import type { Bundle, SealedOrder, SystemEvent } from '../../sim/game/run/bundle.ts'
import type { AnyField } from '../../sim/schema/field.ts'
import type { StructField } from '../../sim/schema/index.ts'
import type { Script, ScriptItem } from './script.ts'
import { bundleOf } from './script.ts'

/** An order of a seat, by its name: `{ seat: 0, order: 'move', data: { x: 3, y: 4 } }`. */
export type OrderItem<G extends GameShape> = {
  readonly [K in keyof G['orders'] & string]: {
    readonly seat: number
    readonly order: K
    readonly data: OrderData<G['orders'], K>
  }
}[keyof G['orders'] & string]

/** Changes to a seat's held controls; the rest stays as it is, as with `match.input`. */
export interface InputItem<G extends GameShape> {
  readonly seat: number
  readonly input: Partial<GameInput<G>>
}

/** Something that happens to the match itself: a player joins or leaves, or a pause. */
export interface EventItem {
  readonly event: SystemEvent
}

/** Bytes instead of an order, to test what no honest client sends. */
export interface BytesItem {
  readonly seat: number
  readonly bytes: Uint8Array
}

/** One thing that happens in a tick, typed by the game. */
export type TickItem<G extends GameShape> = OrderItem<G> | InputItem<G> | EventItem | BytesItem

/** One thing that happens at a tick of a match, typed by the game. */
export type MatchScriptItem<G extends GameShape> = TickItem<G> & { readonly tick: number }

/** A whole match. */
export interface MatchScript<G extends GameShape> extends Omit<Script, 'items'> {
  /** In any sequence; items of the same tick happen in the sequence listed. */
  readonly items: readonly MatchScriptItem<G>[]
}

/** Seals the items of a script, in the sequence of ticks. Items that are sealed already stay. */
export function sealItems(
  game: Game,
  items: readonly (MatchScriptItem<GameShape> | ScriptItem)[],
): ScriptItem[] {
  const held = new HeldBySeat(game)
  const sorted = [...items].sort((a, b) => a.tick - b.tick)
  return sorted.map((item) => ('kind' in item ? item : sealItem(game, item, held)))
}

/** A script as people read it. Bytes that are no order stay bytes. */
export function openScript<G extends GameShape>(game: Game, script: Script): MatchScript<G> {
  const items = script.items.map((item) => openItem(game, item))
  return { ...script, items: items as unknown as MatchScriptItem<G>[] }
}

/**
 * Makes the bundle of one tick, for a test that steps a simulation itself.
 *
 * Inputs are complete: omitted fields have their defaults. (A script instead keeps the values that the seat
 * held before.)
 *
 * @throws UsageError `SS_BAD_ORDER` for an unknown order, `SS_BAD_VALUE` for data that does not fit.
 *
 * @example
 * ```ts
 * simulation.step(makeBundle(dots, 1, [{ seat: 0, order: 'move', data: { dx: 1, dy: 0 } }]))
 * ```
 */
export function makeBundle<G extends GameShape, R>(
  game: Game<G, R>,
  tick: number,
  items: readonly TickItem<G>[] = [],
): Bundle<GameInput<G>> {
  const plain = game as unknown as Game
  const held = new HeldBySeat(plain)
  const sealed = items.map((item) => sealItem(plain, { tick, ...item } as never, held))
  return bundleOf(tick, sealed) as Bundle<GameInput<G>>
}

function sealItem(game: Game, item: MatchScriptItem<GameShape>, held: HeldBySeat): ScriptItem {
  const { tick } = item
  if (!Number.isSafeInteger(tick) || tick < 1) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot play something at tick ${tick}: ticks are whole numbers from 1`,
    )
  }
  if ('event' in item) {
    if (item.event.type === 'leave') held.release(item.event.seat)
    return { tick, kind: 'event', event: item.event }
  }
  const { seat } = item
  if ('input' in item) {
    return { tick, kind: 'input', seat, input: held.change(tick, seat, item.input) }
  }
  const bytes = 'bytes' in item ? item.bytes : game.orderCodec.encode(item.order, item.data)
  return { tick, kind: 'order', order: { seat, bytes } }
}

function openItem(game: Game, item: ScriptItem): object {
  const { tick } = item
  if (item.kind === 'event') return { tick, event: item.event }
  if (item.kind === 'input') return { tick, seat: item.seat, input: item.input }
  return { tick, ...openOrder(game, item.order) }
}

function openOrder(game: Game, { seat, bytes }: SealedOrder): object {
  try {
    const { type, data } = game.orderCodec.decode(bytes)
    return { seat, order: type.name, data }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return { seat, bytes }
  }
}

type Held = { readonly tick: number; readonly input: { readonly [name: string]: unknown } }

/** What every seat holds, so that an item need only say what changes. */
class HeldBySeat {
  readonly #game: Game
  readonly #held = new Map<number, Held>()

  constructor(game: Game) {
    this.#game = game
  }

  /** A seat without a player holds nothing. */
  release(seat: number): void {
    this.#held.delete(seat)
  }

  change(tick: number, seat: number, changes: object): object {
    const inputCodec: StructField<InputFields> = this.#game.inputCodec
    const last = this.#held.get(seat)
    const input: { [name: string]: unknown } = { ...inputCodec.makeDefault(), ...last?.input }
    for (const [name, field] of Object.entries<AnyField>(inputCodec.fields)) {
      // What happens once has happened.
      if (field.isOneShot && last?.tick !== tick) input[name] = field.makeDefault()
    }
    Object.assign(input, changes)
    inputCodec.check(input, 'input')
    this.#held.set(seat, { tick, input })
    return input
  }
}
