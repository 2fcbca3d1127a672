import { Application, Graphics } from 'pixi.js'
import { fixed, joinMatch } from 'samestep'
import { showOverlay } from 'samestep/overlay'
import { followKeys } from './controls.ts'
import { game, worldSize } from './game.ts'
import { readRoom, relayUrl, showProblem, watch } from './page.ts'

const size = 800
const scale = size / worldSize
const colours = [0x66ccff, 0xff9966, 0x99dd66, 0xee77cc, 0xffdd55, 0x88eeff, 0xcc99ff, 0xbbbbbb]

const app = new Application()
await app.init({ width: size, height: size, background: '#1d2029', antialias: true })
document.querySelector('#game')!.append(app.canvas)
const score = document.querySelector('#score')!

const match = await joinMatch(game, { url: relayUrl(), ...readRoom() }).catch(showProblem)
watch(match)
if (import.meta.env.DEV) showOverlay(match, { isOpen: false })
followKeys((controls) => match.input(controls))

const ships = colours.map((colour) => {
  const ship = new Graphics().poly([16, 0, -11, 10, -11, -10]).fill(colour)
  ship.visible = false
  return app.stage.addChild(ship)
})
const stars: Graphics[] = []

// Pixi draws; Samestep says what: two ticks, and where between them this frame is.
app.ticker.add(() => {
  const { current, blend, alpha } = match.advance(performance.now())
  for (const row of current.ships) {
    const ship = ships[row]
    ship.visible = true
    ship.position.set(blend.ships.x(row, alpha) * scale, blend.ships.y(row, alpha) * scale)
    ship.rotation = blend.ships.heading(row, alpha)
  }
  for (const row of current.stars) {
    stars[row] ??= app.stage.addChildAt(new Graphics().star(0, 0, 5, 8).fill(0xffcc33), 0)
    const { x, y } = current.stars
    stars[row].position.set(fixed.toNumber(x[row]) * scale, fixed.toNumber(y[row]) * scale)
  }
  score.textContent = `Stars: ${current.ships.stars[match.seat ?? 0] ?? 0}`
})
