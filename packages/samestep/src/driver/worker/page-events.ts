import type { RoomView } from '../../client/status/room-view.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { makeOptions } from '../../sim/game/run/simulation-options.ts'
import { Emitter } from '../match/emitter.ts'
import type { AnyEvent, MatchEvents } from '../match/match.ts'
import { reportError } from '../report-error.ts'
import { DesyncFiles } from './desync-files.ts'
import { unpackEvent } from './worker-errors.ts'
import type { PageMessage } from './worker-messages.ts'

/** What listeners on a page are told: the worker's events, with what does not cross threads put back. */
export class PageEvents<G extends GameShape, R> {
  readonly emitter = new Emitter<MatchEvents>()
  readonly files: DesyncFiles
  readonly #game: Game<G, R>
  #room: RoomView<G> | undefined

  constructor(game: Game<G, R>, post: (message: PageMessage) => void) {
    this.#game = game
    this.files = new DesyncFiles((number, report) => post({ type: 'desync-file', number, report }))
  }

  /** Who is in the match, as the worker said last. */
  get room(): RoomView<G> | undefined {
    return this.#room
  }

  /** What crossed from another thread is a copy that anybody could write to. */
  noteRoom(room: RoomView): RoomView<G> {
    this.#room = { ...room, options: makeOptions(this.#game, room.options) }
    return this.#room
  }

  /** An event of the worker, while this simulation is shown. */
  handle(event: AnyEvent, simulation: { readonly matchId: string } | undefined): void {
    switch (event.name) {
      case 'room':
        this.emit({ name: 'room', value: this.noteRoom(event.value) })
        return
      case 'desync':
        this.emit({ name: 'desync', value: this.files.makeSavable(event.value, simulation) })
        return
      default:
        this.emit(unpackEvent(event))
        // The worker's last word was the one before.
        if (event.name === 'closed') this.emit({ name: 'status', value: 'closed' })
    }
  }

  /** A listener that throws keeps the worker's next word from nobody. */
  emit({ name, value }: AnyEvent): void {
    try {
      // Its listeners may come after the promise that gives out the match.
      if (name === 'fallback') this.emitter.emitHeld(name, value)
      else this.emitter.emit(name, value)
    } catch (error) {
      reportError(error)
    }
  }
}
