import { defineGame, f64, single } from 'samestep'

/** Bacteria that grow by a power of their number. */
export const dish = defineGame({
  id: 'broken-power',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { dish: single({ count: f64 }) },

  step({ state, tick }) {
    state.dish.count = (1 + tick) ** 0.75 // ✗
  },
})
