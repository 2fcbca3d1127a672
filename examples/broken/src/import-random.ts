import { defineGame, single, u16 } from 'samestep'

/** Tides, drawn by chance: once for each player. */
const tides = Array.from({ length: 12 }, () => Math.floor(Math.random() * 100)) // ✗

/** A harbour. */
export const harbour = defineGame({
  id: 'broken-import-random',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { harbour: single({ water: u16 }) },

  step({ state, tick }) {
    state.harbour.water = tides[tick % tides.length]! // ✎
  },
})
