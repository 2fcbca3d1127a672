import { defineGame, single, u16 } from 'samestep'

/** Where the player is decides what is in the shop. */
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone // ✗

/** A shop. */
export const shop = defineGame({
  id: 'broken-import-zone',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { shop: single({ fish: u16 }) },

  step({ state }) {
    state.shop.fish += zone.startsWith('Asia/') ? 2 : 1 // ✎
  },
})
