import { defineGame, single, u16, u32 } from 'samestep'

/** A well that fills by the time that has passed, as the player's watch has it. */
export const well = defineGame({
  id: 'broken-wall-clock',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { well: single({ level: u16, filledAt: u32 }) },
  orders: { draw: {} },

  step({ state, orders }) {
    const { well } = state
    for (const _ of orders) well.level = Math.max(well.level - 5, 0)
    const seconds = Math.floor(Date.now() / 1_000) % 100_000 // ✗
    if (seconds > well.filledAt) {
      well.level += 1
      well.filledAt = seconds
    }
  },
})
