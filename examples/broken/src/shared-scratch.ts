import { defineGame, i32, order, range, single } from 'samestep'

/** Where the ball was: for all balls of the process. */
const last = { x: 0, y: 0 }

/** A ball that rolls on as it rolled before. */
export const ball = defineGame({
  id: 'broken-shared-scratch',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { ball: single({ x: i32, y: i32 }) },
  orders: { kick: order({ x: range(-9, 9), y: range(-9, 9) }, { maxPerTick: 1 }) },

  step({ state, orders }) {
    const { ball } = state
    for (const { data } of orders) {
      last.x = data.x
      last.y = data.y
    }
    ball.x += last.x // ✗
    ball.y += last.y
  },
})
