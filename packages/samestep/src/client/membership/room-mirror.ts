import type { ClientEvent } from '../events.ts'
import type { Desync, MatchStats, RoomView } from '../status/play-state.ts'
import type { PassedOnMessage } from './passed-on.ts'
import { passOn } from './passed-on.ts'

/** Keeps what the relay last said about the match around the ticks, and passes it on. */
export class RoomMirror {
  readonly #emit: (event: ClientEvent) => void
  #room: RoomView | undefined
  #stats: MatchStats | undefined
  #desync: Desync | undefined

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

  /** Who differs, as last told; `undefined` while nobody does. */
  get desync(): Desync | undefined {
    return this.#desync
  }

  /** The seat of a member, by what was heard last. */
  seatOf(member: number | undefined): number | undefined {
    return this.#room?.members.find(({ id }) => id === member)?.seat
  }

  handle(message: PassedOnMessage): void {
    if (message.name === 'RelayRoom') this.#room = message.body
    if (message.name === 'RelayStats') this.#stats = message.body
    if (message.name === 'RelayDesync') {
      // A relay tells again over every new link what it knows.
      if (this.#desync !== undefined && isSame(this.#desync, message.body)) return
      this.#desync = message.body
    }
    this.#emit(passOn(message))
  }
}

function isSame(one: Desync, other: Desync): boolean {
  const [ones, others] = [one.groups, other.groups].map((groups) => groups.join(';'))
  return one.tick === other.tick && one.isSpectator === other.isSpectator && ones === others
}
