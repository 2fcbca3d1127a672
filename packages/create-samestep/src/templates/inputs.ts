import type { Answers } from '../answers.ts'
import { joinBarText, matchText, testText } from './common.ts'

/** `src/game.ts` of a game of inputs. */
export function inputGameText({ name }: Answers): string {
  return `import { bool, defineGame, fixed, range, table, u16 } from 'samestep'

/** The world is a square of so many units, and whoever leaves it comes back on the other side. */
export const worldSize = 100

const edge = fixed.fromInt(worldSize)
const push = fixed.from(0.02)
const drag = fixed.from(0.98)
const turning = fixed.from(0.1)
const reach = fixed.from(3)
const starCount = 12

export const game = defineGame({
  id: '${name}',
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
        if (!fixed.isWithin(ships.x[row], ships.y[row], stars.x[star], stars.y[star], reach)) continue
        ships.stars[row] += 1
        stars.x[star] = random.fixed(0, edge)
        stars.y[star] = random.fixed(0, edge)
      }
    }
  },
})
`
}

/** `src/game.test.ts` of a game of inputs. */
export function inputTestText(): string {
  return testText(`test('nobody leaves the world', () => {
  const { ships } = simulate(game, { seats: 4, seed: 7, ticks: 300 }).simulation.state
  for (const row of ships) {
    expect(ships.x[row]).toBeGreaterThanOrEqual(0)
    expect(ships.y[row]).toBeGreaterThanOrEqual(0)
  }
})
`)
}

/** `src/main.ts` of a game of inputs. */
export function inputMainText(): string {
  return `import { fixed, playLocal } from 'samestep'
import { game, worldSize } from './game.ts'

${matchText}
const canvas = document.querySelector('canvas')!
const line = document.querySelector('p')!
${joinBarText}const brush = canvas.getContext('2d')!
const scale = canvas.width / worldSize
const colours = ['#6cf', '#f96', '#9d6', '#e7c', '#fd5', '#8ef', '#c9f', '#bbb']

const held = new Set<string>()
addEventListener('keydown', (event) => hold(event, true))
addEventListener('keyup', (event) => hold(event, false))
addEventListener('blur', () => {
  held.clear()
  steer()
})

function hold(event: KeyboardEvent, isDown: boolean): void {
  if (isDown) held.add(event.code)
  else held.delete(event.code)
  if (event.code.startsWith('Arrow')) event.preventDefault()
  steer()
}

function steer(): void {
  const right = held.has('ArrowRight') || held.has('KeyD') ? 1 : 0
  const left = held.has('ArrowLeft') || held.has('KeyA') ? 1 : 0
  match.input({ turn: right - left, thrust: held.has('ArrowUp') || held.has('KeyW') })
}

requestAnimationFrame(function paint(now) {
  const { current, blend, alpha } = match.advance(now)
  brush.clearRect(0, 0, canvas.width, canvas.height)
  for (const row of current.stars) {
    const { x, y } = current.stars
    brush.fillStyle = '#fc3'
    brush.fillRect((fixed.toNumber(x[row]) - 0.6) * scale, (fixed.toNumber(y[row]) - 0.6) * scale, 1.2 * scale, 1.2 * scale)
  }
  for (const row of current.ships) {
    const { x, y, heading } = blend.ships
    brush.save()
    brush.translate(x(row, alpha) * scale, y(row, alpha) * scale)
    brush.rotate(heading(row, alpha))
    brush.fillStyle = colours[row % colours.length]
    brush.beginPath()
    brush.moveTo(2 * scale, 0)
    brush.lineTo(-1.4 * scale, 1.2 * scale)
    brush.lineTo(-1.4 * scale, -1.2 * scale)
    brush.fill()
    brush.restore()
  }
  line.textContent = showJoin() || \`Stars: \${current.ships.stars[match.seat ?? 0]}\`
  requestAnimationFrame(paint)
})
`
}
