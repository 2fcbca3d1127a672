import type { DoorKind, Doors } from '../../wire/messages/doors.ts'
import { hasDoor, noDoors } from '../../wire/messages/doors.ts'
import type { LineSigns } from './line-watch.ts'
import { LineWatch } from './line-watch.ts'
import type { MoveDoor } from './move-state.ts'
import { MovePauses } from './pauses.ts'

/** What a plan is made by. */
export interface PlanSource {
  /** Which better doors can be dialled, best first. */
  readonly doors: readonly DoorKind[]
  readonly seed: number | undefined
  readonly conversation: { readonly patience: Pick<LineSigns, 'heardAtMs'> }
  readonly membership: { readonly running: PlannedMatch | undefined }
}

/** What of a match says how its line fares. */
interface PlannedMatch {
  readonly isRunning: boolean
  readonly isWaitingForState: boolean
  readonly turns: Pick<LineSigns, 'measuredAtMs' | 'rttMs'>
}

/** A move that is due. */
export interface PlannedMove {
  readonly door: MoveDoor
  /** Whether the link that carries the session works, and hands over. */
  readonly isMove: boolean
}

/**
 * When a session moves, and where to: at home, to the best door that the relay has and this client can
 * dial; at a better door, back home once its line is no longer worth having.
 */
export class MovePlan {
  readonly #source: PlanSource
  readonly #watch = new LineWatch()
  readonly #pauses: MovePauses
  /** From when on a better door is tried. */
  #tryAtMs = never
  #relayDoors: Doors = noDoors
  /** Whether the session is at a better door. */
  #isAway = false

  constructor(source: PlanSource) {
    this.#source = source
    this.#pauses = new MovePauses(source.seed)
  }

  /** Which doors the relay has, as it said last. */
  get relayDoors(): Doors {
    return this.#relayDoors
  }

  /** The session was let in, or in again, over its own link. */
  start(isAway: boolean, timeMs: number): void {
    this.#isAway = isAway
    this.#watch.start(undefined, timeMs)
    this.#relayDoors = noDoors
    this.#tryAtMs = never
  }

  /** The relay says which doors it has. */
  noteDoors(doors: Doors, timeMs: number): void {
    this.#relayDoors = doors
    if (!this.#isAway) this.#tryAtMs = this.#pauses.firstAtMs(timeMs)
  }

  /** The session is at that door from now on. */
  noteMoved(door: MoveDoor, timeMs: number): void {
    const homeRttMs = this.#isAway ? undefined : this.#source.membership.running?.turns.rttMs
    this.#isAway = door !== 'home'
    this.#watch.start(homeRttMs, timeMs)
    this.#tryAtMs = this.#isAway ? never : this.#pauses.noteFailed(timeMs)
  }

  /** A move came to nothing. */
  noteFailed(timeMs: number): void {
    this.#tryAtMs = this.#pauses.noteFailed(timeMs)
  }

  /** Whether there is a way to a door from where the session is. */
  isOpen(door: MoveDoor): boolean {
    return door === 'home' ? this.#isWatching : !this.#isAway && hasDoor(this.#relayDoors, door)
  }

  /** The move to make now; `undefined` for none. */
  due(timeMs: number): PlannedMove | undefined {
    if (this.#isWatching) {
      const fault = this.#look(timeMs)
      return fault === undefined ? undefined : { door: 'home', isMove: fault === 'slow' }
    }
    if (timeMs < this.#tryAtMs) return undefined
    const door = this.#source.doors.find((kind) => hasDoor(this.#relayDoors, kind))
    const isBusy = this.#source.membership.running?.isWaitingForState === true
    // Whoever gets the state of the match has enough on its line.
    if (door !== undefined && !isBusy) return { door, isMove: true }
    this.#tryAtMs = door === undefined ? never : timeMs + busyMs
    return undefined
  }

  /** When a move may next be due. */
  get dueAtMs(): number {
    return this.#isWatching ? this.#watch.lookAtMs : this.#tryAtMs
  }

  get #isWatching(): boolean {
    return this.#isAway && this.#source.doors.length > 0
  }

  #look(timeMs: number) {
    if (this.#watch.isProved(timeMs)) this.#pauses.forget()
    if (timeMs < this.#watch.lookAtMs) return undefined
    const { conversation, membership } = this.#source
    const { running } = membership
    const signs = {
      heardAtMs: conversation.patience.heardAtMs,
      isRunning: running?.isRunning === true && !running.isWaitingForState,
      measuredAtMs: running?.turns.measuredAtMs,
      rttMs: running?.turns.rttMs,
    }
    return this.#watch.look(signs, timeMs)
  }
}

const never = Number.POSITIVE_INFINITY

/** How soon it is looked again whether the state of the match is here. */
const busyMs = 1_000
