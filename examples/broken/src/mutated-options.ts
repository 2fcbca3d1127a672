import { defineGame, list, single, u8, u16 } from 'samestep'

/** Waves of enemies, taken from the list of the match's options one by one. */
export const waves = defineGame({
  id: 'broken-mutated-options',
  version: 1,
  seats: { min: 1, max: 4 },
  options: { sizes: list(u8, 8).default([3, 5, 8, 13, 21]) },
  state: { field: single({ enemies: u16 }) },

  step({ state, tick, options }) {
    if (tick % 12 !== 0) return
    const size = (options.sizes as number[]).shift() // ✗
    state.field.enemies += size ?? 1
  },
})
