import { defineGame, list, order, plain, range, struct, u16 } from 'samestep'

const knight = struct({ wounds: u16 })

/** Knights, one of whom is the king: as long as nobody loads the game. */
export const court = defineGame({
  id: 'broken-aliasing',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { court: plain(struct({ knights: list(knight, 8), king: knight })) },
  orders: { hit: order({ knight: range(0, 3) }, { maxPerTick: 1 }) },

  setup({ state }) {
    const { court } = state
    for (let index = 0; index < 4; index++) court.knights.push({ wounds: 0 })
    court.king = court.knights[0]!
  },

  step({ state, orders }) {
    for (const { data } of orders) state.court.knights[data.knight]!.wounds += 1 // ✗
  },
})
