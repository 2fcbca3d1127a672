import { custom, defineGame, order, range } from 'samestep'

class Wall {
  bricks: Uint8Array = new Uint8Array(32)
}

/** A wall whose memory is whatever it was loaded from. */
export const wall = defineGame({
  id: 'broken-kept-bytes',
  version: 1,
  seats: { min: 1, max: 4 },
  state: {
    wall: custom({
      create: () => new Wall(),
      save: (wall) => wall.bricks.slice(),
      load(bytes, wall) {
        wall.bricks = bytes // ✗
        return wall
      },
    }),
  },
  orders: { lay: order({ at: range(0, 31) }, { maxPerTick: 2 }) },

  step({ state, orders }) {
    for (const { data } of orders) state.wall.bricks[data.at]! += 1
  },
})
