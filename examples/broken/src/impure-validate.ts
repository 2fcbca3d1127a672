import { defineGame, i16, order, range, single, table, u16 } from 'samestep'

type Writable = { clicks: number }

/** A game that counts clicks where it should only say whether they are allowed. */
export const clicker = defineGame({
  id: 'broken-impure-validate',
  version: 1,
  seats: { min: 1, max: 4 },
  state: {
    towers: table(64, { x: i16, level: i16 }),
    stats: single({ clicks: u16 }),
  },
  orders: { build: order({ x: range(0, 99) }, { maxPerTick: 4 }) },

  validate({ state, order }) {
    ;(state.stats as Writable).clicks += 1 // ✗
    for (const row of state.towers) {
      if (state.towers.x[row] === order.data.x) return 'There is a tower already'
    }
    return state.towers.count < 60
  },

  step({ state, orders }) {
    for (const { data } of orders) state.towers.add({ x: data.x })
  },
})
