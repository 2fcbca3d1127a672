import { fixed, joinMatch } from 'samestep'
import { showOverlay } from 'samestep/overlay'
import { game, worldSize } from './game.ts'
import { readRoom, relayUrl, showProblem, watch } from './page.ts'

const match = await joinMatch(game, { url: relayUrl(), ...readRoom() }).catch(showProblem)
watch(match)
if (import.meta.env.DEV) showOverlay(match, { isOpen: false })

const canvas = document.createElement('canvas')
canvas.width = canvas.height = 1024
document.querySelector('#game')!.append(canvas)
const score = document.querySelector('#score')!
const brush = canvas.getContext('2d')!
const scale = canvas.width / worldSize
const colours = ['#6cf', '#f96', '#9d6', '#e7c', '#fd5', '#8ef', '#c9f', '#bbb']

// A click is an order: it happens at one tick, the same on every machine.
canvas.addEventListener('pointerdown', ({ clientX, clientY }) => {
  const { left, top, width } = canvas.getBoundingClientRect()
  const unit = worldSize / width
  const [x, y] = [fixed.from((clientX - left) * unit), fixed.from((clientY - top) * unit)]
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
  score.textContent = `Coins: ${current.scores.coins[match.seat ?? 0] ?? 0}`
  requestAnimationFrame(paint)
})

function disc(x: number, y: number, radius: number, colour: string): void {
  brush.fillStyle = colour
  brush.beginPath()
  brush.arc(x * scale, y * scale, radius * scale, 0, 2 * Math.PI)
  brush.fill()
}
