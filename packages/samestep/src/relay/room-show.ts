import type { MessageBody } from '../wire/messages.ts'
import { encodeMessage } from '../wire/messages.ts'
import type { Lobby } from './lobby.ts'
import type { Seating } from './seating.ts'

/**
 * Shows everybody who is in a match and where it stands: when that changed, though not more often
 * than eyes can follow; and, while no ticks are sent, every two seconds as a sign of life.
 */
export class RoomShow {
  readonly #lobby: Lobby
  readonly #seating: Seating
  #presenceRevision = 0
  #shownRevision = -1
  #shownAtMs: number

  constructor(lobby: Lobby, seating: Seating, nowMs: number) {
    this.#shownAtMs = nowMs - pauseMs
    this.#lobby = lobby
    this.#seating = seating
  }

  /** Somebody came, went, fell silent: the lobby does not know, and yet it is to be shown. */
  touch(): void {
    this.#presenceRevision += 1
  }

  /** When there is something to show. */
  wakeAtMs(): number {
    if (this.#revision !== this.#shownRevision) return this.#shownAtMs + pauseMs
    return this.#lobby.phase === 'running' ? Number.POSITIVE_INFINITY : this.#shownAtMs + everyMs
  }

  handleTime(nowMs: number): void {
    if (nowMs < this.wakeAtMs()) return
    this.#shownRevision = this.#revision
    this.#shownAtMs = nowMs
    this.#seating.tellAll(encodeMessage('RelayRoom', this.#body(nowMs)), nowMs)
  }

  get #revision(): number {
    return this.#lobby.revision + this.#presenceRevision
  }

  #body(nowMs: number): MessageBody<'RelayRoom'> {
    const { lockedSeats, members, ...view } = this.#lobby.view(nowMs)
    return {
      ...view,
      lockedSeats: [...lockedSeats],
      members: members.map(({ isConnected: _isConnected, ...member }) => ({
        ...member,
        presence: this.#seating.member(member.id)?.guard.liveness.presence ?? 'gone',
      })),
    }
  }
}

/** How often those who wait for others hear from the relay: well within their patience. */
const everyMs = 2_000

/** The shortest time between two: a lobby that fills up is one message, not sixty. */
const pauseMs = 100
