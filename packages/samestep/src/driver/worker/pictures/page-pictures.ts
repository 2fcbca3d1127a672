import { isDevelopment } from '../../../base/environment.ts'
import type { RoomView } from '../../../client/status/room-view.ts'
import type { MirrorOptions } from '../../../sim/game/copies/mirror.ts'
import { SimulationMirror } from '../../../sim/game/copies/mirror.ts'
import type { GameShape } from '../../../sim/game/definition/context.ts'
import type { Game } from '../../../sim/game/definition/define-game.ts'
import type { Timing } from '../../../transport/timing.ts'
import { EmptyPicture } from '../../match/empty-picture.ts'
import type { Picture } from '../../match/match.ts'
import { sameClockMs } from '../../timing.ts'
import type { PageMessage, SentPicture } from '../worker-messages.ts'
import { PictureClock } from './picture-clock.ts'

/** What pictures on a page need around them. */
export interface PictureHooks {
  readonly timing: Timing
  /** Views that throw when they are written to; as the environment says when left out. */
  readonly development: boolean | undefined
  post(message: PageMessage, transfer?: readonly ArrayBuffer[]): void
}

/** What a page can draw of a match that a worker plays: a mirror of its simulation, filled by pictures. */
export class PagePictures<G extends GameShape, R> {
  readonly #game: Game<G, R>
  readonly #hooks: PictureHooks
  readonly #clock = new PictureClock()
  readonly #empty: EmptyPicture<G, R>
  #mirror: SimulationMirror<G, R> | undefined

  constructor(game: Game<G, R>, hooks: PictureHooks) {
    this.#game = game
    this.#hooks = hooks
    this.#empty = new EmptyPicture(game)
  }

  /** The simulation as the newest picture shows it; `undefined` before the launch. */
  get mirror(): SimulationMirror<G, R> | undefined {
    return this.#mirror
  }

  launch(options: Omit<MirrorOptions<G>, 'development'>): void {
    const development = this.#hooks.development ?? isDevelopment()
    this.#mirror = new SimulationMirror(this.#game, { ...options, development })
  }

  /** Back in the lobby. */
  drop(): void {
    this.#mirror = undefined
  }

  /** A picture came. Its memory goes back at once. */
  show({ buffer, layout, motion, sentAtMs }: SentPicture): void {
    try {
      this.#mirror?.load(new Uint8Array(buffer), layout)
    } finally {
      this.#hooks.post({ type: 'seen', buffer }, [buffer])
    }
    this.#clock.note(layout.tick, motion, sentAtMs, this.#hooks.timing.nowMs())
  }

  /** What to draw at a time. */
  at(phase: RoomView['phase'], nowMs: number): Picture<G, R> {
    if (this.#mirror === undefined) return this.#empty.at(phase)
    const { view, previous, blend, tick } = this.#mirror
    const ownMs = this.#hooks.timing.nowMs()
    // The time of the picture is steadier than the time of the call, if it is of the same clock.
    const timeMs = Math.abs(ownMs - nowMs) < sameClockMs ? nowMs : ownMs
    return { phase, current: view, previous, blend, alpha: this.#clock.alpha(timeMs), tick }
  }
}
