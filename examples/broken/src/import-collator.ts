import { defineGame, plain, struct, text } from 'samestep'

const names = ['Tessa', 'Zoe', 'Yann', 'Ines', 'Aaron', 'Chris', 'Hugo', 'Sara']
// Made once: collators are slow to make.
const collator = new Intl.Collator() // ✗

/** Names that are called in alphabetical order, in the alphabet of the machine. */
export const call = defineGame({
  id: 'broken-import-collator',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { call: plain(struct({ next: text(8) })) },

  step({ state, tick }) {
    const sorted = [...names].sort((a, b) => collator.compare(a, b)) // ✎
    state.call.next = sorted[tick % sorted.length]!
  },
})
