import { defineGame, table, u32 } from 'samestep'

/** Names for eggs. Every match goes on where the last one stopped. */
let nextId = 0

/** Hens. */
export const hens = defineGame({
  id: 'broken-shared-counter',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { eggs: table(200, { id: u32 }) },

  step({ state, tick }) {
    const { eggs } = state
    if (tick % 6 !== 0 || eggs.count >= 190) return
    nextId += 1
    eggs.add({ id: nextId }) // ✗
  },
})
