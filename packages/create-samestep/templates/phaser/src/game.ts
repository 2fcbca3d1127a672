import { bool, defineGame, fixed, range, table, u16 } from 'samestep'

/** The world is a square of so many units, and whoever leaves it comes back on the other side. */
export const worldSize = 100

const edge = fixed.fromInt(worldSize)
const push = fixed.from(0.02)
const drag = fixed.from(0.98)
const turning = fixed.from(0.1)
const reach = fixed.from(3)
const starCount = 12

export const game = defineGame({
  id: 'my-game',
  version: 1,
  tickRate: 60,
  seats: { min: 1, max: 8 },
  state: {
    // One row per seat, in their sequence.
    ships: table(8, { x: fixed, y: fixed, vx: fixed, vy: fixed, heading: fixed, stars: u16 }),
    stars: table(starCount, { x: fixed, y: fixed }),
  },
  input: { turn: range(-1, 1).default(0), thrust: bool },
  render: { ships: { x: 'snap', y: 'snap', heading: 'snap' } },

  setup({ state, seats, random }) {
    for (let seat = 0; seat < seats; seat++) {
      state.ships.add({ x: random.fixed(0, edge), y: random.fixed(0, edge) })
    }
    for (let star = 0; star < starCount; star++) {
      state.stars.add({ x: random.fixed(0, edge), y: random.fixed(0, edge) })
    }
  },

  step({ state, inputs, random }) {
    const { ships, stars } = state
    for (const row of ships) {
      const { turn, thrust } = inputs[row]
      ships.heading[row] = fixed.mod(ships.heading[row] + turn * turning, fixed.TAU)
      if (thrust) {
        ships.vx[row] += fixed.mul(fixed.cos(ships.heading[row]), push)
        ships.vy[row] += fixed.mul(fixed.sin(ships.heading[row]), push)
      }
      ships.vx[row] = fixed.mul(ships.vx[row], drag)
      ships.vy[row] = fixed.mul(ships.vy[row], drag)
      ships.x[row] = fixed.mod(ships.x[row] + ships.vx[row] + edge, edge)
      ships.y[row] = fixed.mod(ships.y[row] + ships.vy[row] + edge, edge)
      for (const star of stars) {
        if (!fixed.isWithin(ships.x[row], ships.y[row], stars.x[star], stars.y[star], reach))
          continue
        ships.stars[row] += 1
        stars.x[star] = random.fixed(0, edge)
        stars.y[star] = random.fixed(0, edge)
      }
    }
  },
})
