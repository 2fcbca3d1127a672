import { defineGame, i16, table } from 'samestep'

/** Sheep that wander about. Which way they go is nobody's but this machine's. */
export const sheep = defineGame({
  id: 'broken-math-random',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { sheep: table(32, { x: i16, y: i16 }) },

  setup({ state, seats }) {
    for (let owner = 0; owner < seats; owner++) state.sheep.add({ x: 10 * owner })
  },

  step({ state, tick }) {
    const { sheep } = state
    if (tick % 5 !== 0) return
    for (const row of sheep) {
      sheep.x[row]! += Math.random() < 0.5 ? 1 : -1 // ✗
    }
  },
})
