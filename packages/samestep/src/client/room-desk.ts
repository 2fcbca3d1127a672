import type { Message } from '../wire/messages.ts'
import type { ClientEvent } from './events.ts'
import type { MatchStats, RoomView } from './play-state.ts'

/** What a relay says about a match beside its ticks. */
export type RoomMessage = Extract<
  Message,
  { name: 'RelayRoom' | 'RelaySaid' | 'RelayVote' | 'RelayDenied' | 'RelayStats' }
>

/** Keeps what the relay last said about the match around the ticks, and passes it on. */
export class RoomDesk {
  readonly #emit: (event: ClientEvent) => void
  #room: RoomView | undefined
  #stats: MatchStats | undefined

  constructor(emit: (event: ClientEvent) => void) {
    this.#emit = emit
  }

  /** Who is in the match and where it stands. */
  get room(): RoomView | undefined {
    return this.#room
  }

  /** How everybody fares. */
  get stats(): MatchStats | undefined {
    return this.#stats
  }

  /** The seat of a member, by what was heard last. */
  seatOf(member: number | undefined): number | undefined {
    return this.#room?.members.find(({ id }) => id === member)?.seat
  }

  handle(message: RoomMessage): void {
    switch (message.name) {
      case 'RelayRoom':
        this.#room = message.body
        this.#emit({ type: 'room', room: message.body })
        return
      case 'RelaySaid':
        this.#emit({ type: 'said', ...message.body })
        return
      case 'RelayVote':
        this.#emit({ type: 'vote', vote: message.body })
        return
      case 'RelayDenied':
        this.#emit({ type: 'denied', ...message.body })
        return
      case 'RelayStats':
        this.#stats = message.body
        this.#emit({ type: 'stats', stats: message.body })
    }
  }
}
