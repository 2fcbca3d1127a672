import { defineGame, plain, struct, text } from 'samestep'

const names = ['Tessa', 'Zoe', 'Yann', 'Ines', 'Aaron', 'Chris', 'Hugo', 'Sara']
const sorted = [...names].sort((a, b) => a.localeCompare(b)) // ✗

/** Names that were sorted when the game was loaded. */
export const roll = defineGame({
  id: 'broken-import-sorted',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { roll: plain(struct({ next: text(8) })) },

  step({ state, tick }) {
    state.roll.next = sorted[tick % sorted.length]! // ✎
  },
})
