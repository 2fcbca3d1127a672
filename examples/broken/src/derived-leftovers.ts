import { defineGame, derived, type GameState, order, range, single, table, u8, u16 } from 'samestep'

const state = { sheep: table(64, { field: u8 }), farm: single({ fullest: u16 }) }

type State = GameState<{ state: typeof state }>

/** Sheep on fields, counted into an array that is never emptied. */
export const farm = defineGame({
  id: 'broken-derived-leftovers',
  version: 1,
  seats: { min: 1, max: 4 },
  state,
  derived: {
    perField: derived((now: State, last: Uint16Array | undefined) => {
      const counts = last ?? new Uint16Array(8)
      for (const row of now.sheep) counts[now.sheep.field[row]!]! += 1
      return counts
    }),
  },
  orders: { move: order({ sheep: range(0, 31), field: range(0, 7) }, { maxPerTick: 2 }) },

  setup({ state }) {
    for (let sheep = 0; sheep < 32; sheep++) state.sheep.add({ field: sheep % 8 })
  },

  step({ state, orders, derived }) {
    for (const { data } of orders) state.sheep.field[data.sheep] = data.field
    state.farm.fullest = Math.max(...derived.perField) % 60_000 // ✗
  },
})
