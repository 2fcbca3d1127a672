import type { Game } from '../../sim/game/definition/define-game.ts'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import { order } from '../../sim/game/orders/order.ts'
import { bytes, u32 } from '../../sim/schema/index.ts'
import { makeToyGame } from './toy-game.ts'

/** An order of the relay in that game. */
export function weatherOf(game: Game, tag: number): Uint8Array | undefined {
  return game.id === ruledGameId ? game.orderCodec.encode('weather', { tag }) : undefined
}

/** What the game is called, so that whoever plays it knows its classes of orders. */
export const ruledGameId = 'storm-ruled'

/**
 * The toy with orders that have rules: some run in a pause, some have a class, some are for those
 * who watch or for the relay. A game of its own, so that plans which play
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
    shout: order({ tag: u32, words: bytes(60) }, { by: 'everybody', maxBytes: 24 }),
    heckle: order({ tag: u32 }, { by: 'spectator', whenPaused: true, maxPerTick: 2 }),
    weather: order({ tag: u32 }, { by: 'relay' }),
  }
  // Of those who watch and of the relay, the low bits: the toy keeps seats in a byte.
  const apply: typeof definition.apply = (context) => {
    definition.apply?.({ ...context, seat: context.seat & 0xff })
  }
  return defineGame({ ...definition, id: ruledGameId, orders, apply } as typeof definition)
}
