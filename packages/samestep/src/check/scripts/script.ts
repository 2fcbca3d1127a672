/**
 * All that happens in one match of a check, as a list: who issues what at which tick. A script and a
 * game make a match, whoever wrote the script: chance, a test, or a person who cut away the rest.
 */

import type { GameInput, GameShape } from '../../sim/game/definition/context.ts'
import type { Bundle, SealedOrder, SystemEvent } from '../../sim/game/run/bundle.ts'

/** One thing that happens at a tick. */
export type ScriptItem =
  | { readonly tick: number; readonly kind: 'order'; readonly order: SealedOrder }
  | { readonly tick: number; readonly kind: 'input'; readonly seat: number; readonly input: object }
  | { readonly tick: number; readonly kind: 'event'; readonly event: SystemEvent }

/** A whole match. */
export interface Script {
  /** The match's seed; the check's own random numbers derive from it too. */
  readonly seed: number
  readonly seats: number
  readonly options: object
  /** The length of the match. */
  readonly ticks: number
  /** Sorted by tick. */
  readonly items: readonly ScriptItem[]
}

/** A bundle of a game whose own types are not known here. */
export type AnyBundle = Bundle<GameInput<GameShape>>

/** The bundle of one tick. */
export function bundleOf(tick: number, items: readonly ScriptItem[]): AnyBundle {
  const inputs: (GameInput<GameShape> | undefined)[] = []
  const orders: SealedOrder[] = []
  const events: SystemEvent[] = []
  for (const item of items) {
    if (item.kind === 'order') orders.push(item.order)
    else if (item.kind === 'event') events.push(item.event)
    else inputs[item.seat] = item.input as GameInput<GameShape>
  }
  return { tick, inputs, orders, events }
}

/** Gives the items of a script tick by tick. Ticks are asked for in sequence. */
export class ScriptReader {
  readonly #items: readonly ScriptItem[]
  #next = 0

  constructor(items: readonly ScriptItem[]) {
    this.#items = items
  }

  at(tick: number): readonly ScriptItem[] {
    const from = this.#next
    while (this.#next < this.#items.length && (this.#items[this.#next]?.tick ?? 0) <= tick) {
      this.#next += 1
    }
    return this.#items.slice(from, this.#next)
  }
}
