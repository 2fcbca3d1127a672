import { defineGame, range, single } from 'samestep'

/** A wait that counts down past its end: the value is kept, and no save with it can be loaded. */
export const oven = defineGame({
  id: 'broken-range-below',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { oven: single({ wait: range(0, 20).default(9) }) },

  step({ state }) {
    state.oven.wait -= 1 // ✗
  },
})
