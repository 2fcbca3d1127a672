import { encodeMessage } from '../wire/messages/messages.ts'
import type { Lobby } from './lobby.ts'
import type { Members } from './members.ts'
import type { PauseBudget } from './pause-budget.ts'

/**
 * Shows everybody who is in a match and where it stands: when that changed, though not more often
 * than eyes can follow; and, while no ticks are sent, every two seconds as a sign of life.
 */
export class RoomShow {
  readonly #lobby: Lobby
  readonly #members: Members
  readonly #pace: Pick<PauseBudget, 'haltRevision' | 'isHalted'>
  #presenceRevision = 0
  #waitingFor: readonly number[] = []
  #shownRevision = -1
  #shownAtMs: number
  /** How long the last one was: to everybody, at the pace that a match may send. */
  #pauseMs = pauseMsMin

  constructor(
    lobby: Lobby,
    members: Members,
    pace: Pick<PauseBudget, 'haltRevision' | 'isHalted'>,
    nowMs: number,
  ) {
    this.#shownAtMs = nowMs - pauseMsMin
    this.#lobby = lobby
    this.#members = members
    this.#pace = pace
  }

  /** Somebody came, went, fell silent: the lobby does not know, and yet it is to be shown. */
  touch(): void {
    this.#presenceRevision += 1
  }

  /** The match waits for the inputs of these seats. */
  setWaitingFor(seats: readonly number[]): void {
    this.#waitingFor = seats
    this.touch()
  }

  /** When there is something to show. */
  wakeAtMs(): number {
    if (!this.#members.isAttended) return Number.POSITIVE_INFINITY
    if (this.#revision !== this.#shownRevision) return this.#shownAtMs + this.#pauseMs
    return this.#lobby.phase === 'running' ? Number.POSITIVE_INFINITY : this.#shownAtMs + everyMs
  }

  handleTime(nowMs: number): void {
    if (nowMs < this.wakeAtMs()) return
    this.#shownRevision = this.#revision
    this.#shownAtMs = nowMs
    const bytes = encodeMessage('RelayRoom', {
      ...this.#lobby.view(nowMs),
      waitingFor: [...this.#waitingFor],
      isHalted: this.#pace.isHalted,
    })
    this.#members.send(bytes, nowMs)
    const sentMs = (bytes.byteLength * this.#members.list.length) / showBytesPerMs
    this.#pauseMs = Math.min(Math.max(sentMs, pauseMsMin), everyMs)
  }

  get #revision(): number {
    return this.#lobby.revision + this.#presenceRevision + this.#pace.haltRevision
  }
}

/** How often those who wait for others hear from the relay: well within their patience. */
const everyMs = 2_000

/** The shortest time between two: a lobby that fills up is one message, not sixty. */
const pauseMsMin = 100

/**
 * Bytes to all members together, per millisecond. Whoever changes something costs the relay a message
 * to everybody, so a crowd is shown changes less often: 8 players ten times per second, 250 members
 * with long names every two seconds.
 */
const showBytesPerMs = 512
