import { defineGame, f64, table } from 'samestep'

// Shorter to write, and out of sight of whatever watches Math.
const { sin, cos } = Math

/** Boats on waves. */
export const boats = defineGame({
  id: 'broken-math-taken',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { boats: table(8, { x: f64, height: f64 }) },

  setup({ state }) {
    for (let boat = 0; boat < 8; boat++) state.boats.add({ x: boat })
  },

  step({ state, tick }) {
    const { boats } = state
    for (const row of boats) {
      boats.height[row] = sin(0.3 * tick + boats.x[row]!) * cos(0.1 * tick) // ✗
    }
  },
})
