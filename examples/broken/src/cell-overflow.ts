import { defineGame, table, u8 } from 'samestep'

/** Nests grow by every egg, and a full one is nearly empty again: its column ends at 255. */
export const nests = defineGame({
  id: 'broken-cell-overflow',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { nests: table(4, { eggs: u8.default(240) }) },
  orders: { lay: { eggs: u8 } },

  setup({ state, seats }) {
    for (let seat = 0; seat < seats; seat++) state.nests.add()
  },

  apply({ state, seat, order }) {
    state.nests.eggs[seat] = (state.nests.eggs[seat] ?? 0) + order.data.eggs // ✗
  },

  step() {},
})
