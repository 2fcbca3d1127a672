import { defineGame, order, range, table, u8 } from 'samestep'

declare function queueMicrotask(work: () => void): void

/** Bells that ring a moment after they were struck. */
export const bells = defineGame({
  id: 'broken-late-microtask',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { bells: table(8, { rung: u8 }) },
  orders: { strike: order({ bell: range(0, 7) }, { maxPerTick: 2 }) },

  setup({ state }) {
    for (let bell = 0; bell < 8; bell++) state.bells.add()
  },

  step({ state, orders }) {
    const { rung } = state.bells
    for (const { data } of orders) {
      queueMicrotask(() => {
        rung[data.bell]! += 1 // ✗
      })
    }
  },
})
