import { AUTO, Game, type GameObjects, Scale, Scene } from 'phaser'
import { fixed, joinMatch } from 'samestep'
import { showOverlay } from 'samestep/overlay'
import { followKeys } from './controls.ts'
import { game, worldSize } from './game.ts'
import { readRoom, relayUrl, showProblem, watch } from './page.ts'

const size = 800
const scale = size / worldSize
const colours = [0x66ccff, 0xff9966, 0x99dd66, 0xee77cc, 0xffdd55, 0x88eeff, 0xcc99ff, 0xbbbbbb]

const match = await joinMatch(game, { url: relayUrl(), ...readRoom() }).catch(showProblem)
watch(match)
if (import.meta.env.DEV) showOverlay(match, { isOpen: false })
followKeys((controls) => match.input(controls))

/** Draws. Nothing that counts happens here: Phaser's own physics and random numbers stay unused. */
class Arena extends Scene {
  readonly #ships: GameObjects.Triangle[] = []
  readonly #stars: GameObjects.Star[] = []
  readonly #score = document.querySelector('#score')!

  override update(): void {
    const { current, blend, alpha } = match.advance(performance.now())
    for (const row of current.stars) {
      this.#stars[row] ??= this.add.star(0, 0, 5, 4, 9, 0xffcc33)
      const { x, y } = current.stars
      this.#stars[row].setPosition(fixed.toNumber(x[row]) * scale, fixed.toNumber(y[row]) * scale)
    }
    for (const row of current.ships) {
      this.#ships[row] ??= this.add.triangle(
        0,
        0,
        0,
        0,
        0,
        20,
        27,
        10,
        colours[row % colours.length],
      )
      const { x, y, heading } = blend.ships
      this.#ships[row].setPosition(x(row, alpha) * scale, y(row, alpha) * scale)
      this.#ships[row].setRotation(heading(row, alpha))
    }
    this.#score.textContent = `Stars: ${current.ships.stars[match.seat ?? 0] ?? 0}`
  }
}

new Game({
  type: AUTO,
  parent: 'game',
  width: size,
  height: size,
  backgroundColor: '#1d2029',
  scale: { mode: Scale.NONE },
  scene: Arena,
  banner: false,
})
