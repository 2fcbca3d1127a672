import { defineGame, f64, table, u16 } from 'samestep'

/** Planets on their circles, by a function that every engine computes in its own way. */
export const planets = defineGame({
  id: 'broken-math-sin',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { planets: table(8, { x: f64, y: f64, radius: u16 }) },

  setup({ state }) {
    for (let index = 1; index <= 8; index++) state.planets.add({ radius: 10 * index })
  },

  step({ state, tick }) {
    const { planets } = state
    for (const row of planets) {
      const angle = tick / planets.radius[row]!
      planets.x[row] = Math.sin(angle) * planets.radius[row]! // ✗
      planets.y[row] = Math.cos(angle) * planets.radius[row]! // ✎
    }
  },
})
