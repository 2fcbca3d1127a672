import { defineGame } from '../../sim/game/define-game.ts'
import { order } from '../../sim/game/order.ts'
import { u32 } from '../../sim/schema/index.ts'
import { makeToyGame } from './toy-game.ts'

/**
 * The toy with orders that have rules: some run in a pause. A game of its own, so that plans which play
 * the toy still draw the same. Nobody calls the further orders by name, so that the types need not know
 * them.
 */
export function makeRuledGame(tickRate: number): ReturnType<typeof makeToyGame> {
  const { definition } = makeToyGame(tickRate)
  const orders = {
    ...definition.orders,
    cheer: order({ tag: u32 }, { whenPaused: true }),
    plan: order({ tag: u32 }, { whenPaused: true, maxPerTick: 2 }),
  }
  return defineGame({ ...definition, id: 'storm-ruled', orders } as typeof definition)
}
