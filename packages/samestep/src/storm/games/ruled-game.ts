import { defineGame } from '../../sim/game/define-game.ts'
import { order } from '../../sim/game/order.ts'
import { u32 } from '../../sim/schema/index.ts'
import { makeToyGame } from './toy-game.ts'

/** What the game is called, so that whoever plays it knows its classes of orders. */
export const ruledGameId = 'storm-ruled'

/**
 * The toy with orders that have rules: some run in a pause, some have a class. A game of its own, so that plans which play
 * the toy still draw the same. Nobody calls the further orders by name, so that the types need not know
 * them.
 */
export function makeRuledGame(tickRate: number): ReturnType<typeof makeToyGame> {
  const { definition } = makeToyGame(tickRate)
  const orders = {
    ...definition.orders,
    cheer: order({ tag: u32 }, { whenPaused: true }),
    plan: order({ tag: u32 }, { whenPaused: true, maxPerTick: 2 }),
    build: order({ tag: u32 }, { class: 'building' }),
    joke: order({ tag: u32 }, { class: 'jokes', perSecond: 5 }),
  }
  return defineGame({ ...definition, id: ruledGameId, orders } as typeof definition)
}
