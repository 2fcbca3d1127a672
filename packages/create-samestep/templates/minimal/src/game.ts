import { defineGame, fixed, seat, table, u16 } from 'samestep'

/** The world is a square of so many units; positions are fixed-point, the same on every machine. */
export const worldSize = 100

const edge = fixed.fromInt(worldSize)
const speed = fixed.from(0.5)
const reach = fixed.from(2.5)
const dotsPerSeat = 5
const coinCount = 10

export const game = defineGame({
  id: 'my-game',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 8 },
  state: {
    dots: table(40, { x: fixed, y: fixed, goalX: fixed, goalY: fixed, owner: seat }),
    coins: table(coinCount, { x: fixed, y: fixed }),
    scores: table(8, { coins: u16 }),
  },
  orders: { move: { x: fixed, y: fixed } },
  render: { dots: { x: 'lerp', y: 'lerp' } },

  setup({ state, seats, random }) {
    for (let owner = 0; owner < seats; owner++) {
      state.scores.add()
      for (let dot = 0; dot < dotsPerSeat; dot++) {
        const x = random.fixed(0, edge)
        const y = random.fixed(0, edge)
        state.dots.add({ x, y, goalX: x, goalY: y, owner })
      }
    }
    for (let coin = 0; coin < coinCount; coin++) {
      state.coins.add({ x: random.fixed(0, edge), y: random.fixed(0, edge) })
    }
  },

  validate({ order }) {
    const { x, y } = order.data
    return x >= 0 && x <= edge && y >= 0 && y <= edge ? true : 'That is outside the world'
  },

  step({ state, orders, random }) {
    const { dots, coins, scores } = state
    for (const { seat, data } of orders) {
      for (const row of dots) {
        if (dots.owner[row] !== seat) continue
        // Side by side, so that they can be told apart when they arrive.
        dots.goalX[row] = fixed.clamp(data.x + fixed.from(2) * ((row % dotsPerSeat) - 2), 0, edge)
        dots.goalY[row] = data.y
      }
    }
    for (const row of dots) {
      let dx = fixed.sub(dots.goalX[row], dots.x[row])
      let dy = fixed.sub(dots.goalY[row], dots.y[row])
      const far = fixed.length(dx, dy)
      if (far > speed) {
        dx = fixed.div(fixed.mul(dx, speed), far)
        dy = fixed.div(fixed.mul(dy, speed), far)
      }
      dots.x[row] += dx
      dots.y[row] += dy
      for (const coin of coins) {
        if (!fixed.isWithin(dots.x[row], dots.y[row], coins.x[coin], coins.y[coin], reach)) continue
        scores.coins[dots.owner[row]] += 1
        coins.x[coin] = random.fixed(0, edge)
        coins.y[coin] = random.fixed(0, edge)
      }
    }
  },
})
