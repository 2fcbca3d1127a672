import { fixed, type JoinError, joinMatch } from 'samestep'
import { showOverlay } from 'samestep/overlay'
import { readAddress, relayUrl } from './address.ts'
import { askName, showEnd, showText, toast } from './card.ts'
import { colours, find } from './elements.ts'
import { coinsToWin, game, worldSize } from './game.ts'
import { showRoom } from './room.ts'

const address = readAddress()
// Another match in the address is another page.
addEventListener('hashchange', () => location.reload())

const name = await askName()
showText('Connecting')
const match = await joinMatch(game, {
  url: relayUrl(),
  match: address.match,
  name,
  role: address.isSpectator ? 'spectator' : 'player',
  // Whoever comes first makes the match like this; everybody else takes it as it is.
  seats: 2,
  lobby: { start: 'when-ready', playersMin: 2, countdownMs: 2_000, spectatorsReach: 'all' },
  onStatus: ({ status }) => showText(status === 'connecting' ? 'Connecting' : 'Joining'),
}).catch((error: JoinError) => {
  showEnd('Cannot join', error.message)
  throw error
})
showRoom(match, address.match)
if (import.meta.env.DEV) showOverlay(match, { parent: find('aside'), isOpen: false })

const canvas = find<HTMLCanvasElement>('canvas')
const brush = canvas.getContext('2d')!
const scale = canvas.width / worldSize

canvas.addEventListener('pointerdown', async ({ clientX, clientY }) => {
  if (match.seat === undefined || match.room?.phase !== 'running') return
  const { left, top, width } = canvas.getBoundingClientRect()
  const unit = worldSize / width
  const [x, y] = [fixed.from((clientX - left) * unit), fixed.from((clientY - top) * unit)]
  const end = await match.order('move', { x, y }).settled
  if (end.result === 'refused') toast(String(end.reason))
})

let isOver = false
requestAnimationFrame(function paint(now) {
  requestAnimationFrame(paint)
  const { current, blend, alpha, phase } = match.advance(now)
  brush.clearRect(0, 0, canvas.width, canvas.height)
  for (const row of current.coins) {
    const { x, y } = current.coins
    disc(fixed.toNumber(x[row]), fixed.toNumber(y[row]), 0.8, '#fc3')
  }
  for (const row of current.dots) {
    const colour = colours[current.dots.owner[row] % colours.length]
    disc(blend.dots.x(row, alpha), blend.dots.y(row, alpha), 1.2, colour)
  }
  let left = 1
  for (const row of current.scores) {
    label(`${current.scores.coins[row]} of ${coinsToWin}`, left, colours[row % colours.length])
    left += 12
  }
  if (phase !== 'running' || !current.result.isOver || isOver) return
  isOver = true
  const { winner } = current.result
  const who = match.room?.members.find(({ seat }) => seat === winner)?.name ?? `Seat ${winner}`
  match.close()
  showEnd(`${who} wins`, `The first with ${coinsToWin} coins.`)
})

function disc(x: number, y: number, radius: number, colour: string): void {
  brush.fillStyle = colour
  brush.beginPath()
  brush.arc(x * scale, y * scale, radius * scale, 0, 2 * Math.PI)
  brush.fill()
}

function label(text: string, left: number, colour: string): void {
  brush.fillStyle = colour
  brush.font = '28px system-ui'
  brush.fillText(text, left * scale, 4 * scale)
}
