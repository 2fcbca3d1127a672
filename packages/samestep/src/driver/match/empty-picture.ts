import type { RoomView } from '../../client/status/room-view.ts'
import { SimulationMirror } from '../../sim/game/copies/mirror.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { Picture } from './match.ts'

/**
 * What there is to draw while there is no simulation, as in a lobby: every table empty, every value at
 * its default. A loop that draws needs no other way for it.
 */
export class EmptyPicture<G extends GameShape, R> {
  readonly #game: Game<G, R>
  #mirror: SimulationMirror<G, R> | undefined

  constructor(game: Game<G, R>) {
    this.#game = game
  }

  at(phase: RoomView['phase']): Picture<G, R> {
    const { seats } = this.#game
    // Made by the first who asks: many matches have no lobby.
    this.#mirror ??= new SimulationMirror(this.#game, {
      matchId: '',
      seed: '',
      orderPolicy: [],
      seats: seats.min,
      options: this.#game.optionsCodec.makeDefault() as never,
      development: true,
    })
    const { view, previous, blend } = this.#mirror
    return { phase, current: view, previous, blend, alpha: 1, tick: 0 }
  }
}
