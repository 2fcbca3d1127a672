import type { DoorKind, Doors } from '../../wire/messages/doors.ts'
import { hasDoor, noDoors } from '../../wire/messages/doors.ts'
import type { LineSigns } from './line-watch.ts'
import { LineWatch } from './line-watch.ts'
import type { MoveDoor } from './move-state.ts'
import { MovePauses } from './pauses.ts'

/** What a plan is based on. */
export interface PlanSource {
  /** Which better doors can be dialled, best first. */
  readonly doors: readonly DoorKind[]
  readonly seed: number | undefined
  readonly conversation: { readonly patience: Pick<LineSigns, 'heardAtMs'> }
  readonly membership: { readonly running: PlannedMatch | undefined }
}

/** The parts of a match that show how good its connection is. */
interface PlannedMatch {
  readonly isRunning: boolean
  readonly isWaitingForState: boolean
  readonly turns: Pick<LineSigns, 'measuredAtMs' | 'rttMs'>
  readonly pacer: Pick<LineSigns, 'intervalMs'>
}

/** A move that is due. */
export interface PlannedMove {
  readonly door: MoveDoor
  /** Whether the link that carries the session still works and hands over. */
  readonly isMove: boolean
}

/**
 * Decides when a session moves, and where: from home to the best door that the relay has and this
 * client can dial; from a better door back home once its connection is no longer worth using.
 */
export class MovePlan {
  readonly #source: PlanSource
  readonly #watch = new LineWatch()
  readonly #pauses: MovePauses
  /** When a better door may be tried next. */
  #tryAtMs = never
  #relayDoors: Doors = noDoors
  /** Whether the session is at a better door. */
  #isAway = false

  constructor(source: PlanSource) {
    this.#source = source
    this.#pauses = new MovePauses(source.seed)
  }

  /** The doors of the relay, as last announced. */
  get relayDoors(): Doors {
    return this.#relayDoors
  }

  /** The relay let the session in, for the first time or again, over its main link. */
  start(isAway: boolean, timeMs: number): void {
    this.#isAway = isAway
    this.#watch.start(undefined, timeMs)
    this.#relayDoors = noDoors
    this.#tryAtMs = never
  }

  /** The relay announces its doors. */
  noteDoors(doors: Doors, timeMs: number): void {
    this.#relayDoors = doors
    if (!this.#isAway) this.#tryAtMs = this.#pauses.firstAtMs(timeMs)
  }

  /** The session has moved to this door. */
  noteMoved(door: MoveDoor, timeMs: number): void {
    const homeRttMs = this.#isAway ? undefined : this.#source.membership.running?.turns.rttMs
    this.#isAway = door !== 'home'
    this.#watch.start(homeRttMs, timeMs)
    this.#tryAtMs = this.#isAway ? never : this.#pauses.noteFailed(timeMs)
  }

  /** A move failed. */
  noteFailed(timeMs: number): void {
    this.#tryAtMs = this.#pauses.noteFailed(timeMs)
  }

  /** Whether the session can move to a door from where it is. */
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
    // A client that is receiving the state of the match needs its connection for that.
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
      intervalMs: running?.pacer.intervalMs ?? 0,
      measuredAtMs: running?.turns.measuredAtMs,
      rttMs: running?.turns.rttMs,
    }
    return this.#watch.look(signs, timeMs)
  }
}

const never = Number.POSITIVE_INFINITY

/** How soon to check again whether the state of the match has been received. */
const busyMs = 1_000
