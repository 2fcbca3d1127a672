import { defineGame, single, u32 } from 'samestep'

/** Winter comes late, and with it a wind that nobody shares. */
export const winter = defineGame({
  id: 'broken-late-fault',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { winter: single({ snow: u32 }) },

  step({ state, tick }) {
    if (tick < 2_500 || tick % 10 !== 0) return
    state.winter.snow += 1 + Math.floor(Math.random() * 3) // ✗
  },
})
