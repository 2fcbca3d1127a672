import { custom, defineGame, order, range } from 'samestep'

class Pond {
  readonly cells = new Uint8Array(32)
}

/** A pond that gives itself away whenever it is saved. */
export const pond = defineGame({
  id: 'broken-live-save',
  version: 1,
  seats: { min: 1, max: 4 },
  state: {
    pond: custom({
      create: () => new Pond(),
      save: (pond) => pond.cells, // ✗
      load(bytes, pond) {
        pond.cells.set(bytes)
        return pond
      },
    }),
  },
  orders: { drop: order({ at: range(0, 31) }, { maxPerTick: 2 }) },

  step({ state, orders }) {
    for (const { data } of orders) state.pond.cells[data.at]! += 1
  },
})
