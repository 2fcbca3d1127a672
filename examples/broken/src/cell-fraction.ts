import { defineGame, fixed, table } from 'samestep'

/** A snail that is to move half a metre per tick, and does not: half of a 65 536th is nothing. */
export const snails = defineGame({
  id: 'broken-cell-fraction',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { snails: table(4, { x: fixed }) },

  setup({ state, seats }) {
    for (let seat = 0; seat < seats; seat++) state.snails.add()
  },

  step({ state }) {
    const { snails } = state
    for (const row of snails) snails.x[row] = (snails.x[row] ?? 0) + 0.5 // ✗
  },
})
