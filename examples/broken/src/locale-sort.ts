import { defineGame, list, plain, struct, text } from 'samestep'

const names = ['Zelda', 'Tom', 'Ann', 'Åke', 'Ida', 'Yves', 'Cid', 'Charly']

/** Turns go by name, as the player's language sorts names. */
export const turns = defineGame({
  id: 'broken-locale-sort',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { table: plain(struct({ players: list(text(12), 8), next: text(12) })) },

  setup({ state }) {
    state.table.players.push(...names)
  },

  step({ state, tick }) {
    const { table } = state
    const sorted = [...table.players].sort((a, b) => a.localeCompare(b)) // ✗
    table.next = sorted[tick % sorted.length]!
  },
})
