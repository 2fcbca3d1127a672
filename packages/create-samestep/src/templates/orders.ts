import type { Answers } from '../answers.ts'
import { joinBarText, matchText, testText } from './common.ts'

/** `src/game.ts` of a game of orders. */
export function orderGameText({ name }: Answers): string {
  return `import { defineGame, fixed, seat, table, u16 } from 'samestep'

/** The world is a square of so many units; positions are fixed-point, the same on every machine. */
export const worldSize = 100

const edge = fixed.fromInt(worldSize)
const speed = fixed.from(0.5)
const reach = fixed.from(2.5)
const dotsPerSeat = 5
const coinCount = 10

export const game = defineGame({
  id: '${name}',
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
`
}

/** `src/game.test.ts` of a game of orders. */
export function orderTestText(): string {
  return testText(`test('nobody leaves the world', () => {
  const { dots } = simulate(game, { seats: 4, seed: 7, ticks: 300 }).simulation.state
  for (const row of dots) {
    expect(dots.x[row]).toBeGreaterThanOrEqual(0)
    expect(dots.y[row]).toBeGreaterThanOrEqual(0)
  }
})
`)
}

/** `src/main.ts` of a game of orders. */
export function orderMainText(): string {
  return `import { fixed, playLocal } from 'samestep'
import { game, worldSize } from './game.ts'

${matchText}
const canvas = document.querySelector('canvas')!
const line = document.querySelector('p')!
${joinBarText}const brush = canvas.getContext('2d')!
const scale = canvas.width / worldSize
const colours = ['#6cf', '#f96', '#9d6', '#e7c', '#fd5', '#8ef', '#c9f', '#bbb']

canvas.addEventListener('pointerdown', (event) => {
  const { left, top, width } = canvas.getBoundingClientRect()
  const unit = worldSize / width
  const x = fixed.from((event.clientX - left) * unit)
  const y = fixed.from((event.clientY - top) * unit)
  match.order('move', { x, y })
})

requestAnimationFrame(function paint(now) {
  const { current, blend, alpha } = match.advance(now)
  brush.clearRect(0, 0, canvas.width, canvas.height)
  for (const row of current.coins) {
    const { x, y } = current.coins
    disc(fixed.toNumber(x[row]), fixed.toNumber(y[row]), 0.8, '#fc3')
  }
  for (const row of current.dots) {
    const colour = colours[current.dots.owner[row] % colours.length]
    disc(blend.dots.x(row, alpha), blend.dots.y(row, alpha), 1.2, colour)
  }
  line.textContent = showJoin() || \`Coins: \${current.scores.coins[match.seat ?? 0]}\`
  requestAnimationFrame(paint)
})

function disc(x: number, y: number, radius: number, colour: string): void {
  brush.fillStyle = colour
  brush.beginPath()
  brush.arc(x * scale, y * scale, radius * scale, 0, 2 * Math.PI)
  brush.fill()
}
`
}
