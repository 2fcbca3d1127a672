import type { LobbyPhase } from '../../../room/lobby-types.ts'
import type { Members } from '../../../room/members.ts'
import type { Room } from '../../../room/room.ts'
import { encodeMessage } from '../../../wire/messages/messages.ts'
import type { MatchEvent } from '../match-types.ts'
import type { Session } from '../session.ts'
import type { TickCore } from '../ticks/tick-core.ts'

/** What the beginning of a match needs of the match around it. */
export interface OpeningParts {
  readonly members: Members<Session>
  readonly ticks: TickCore
  readonly room: Room
  emit(event: MatchEvent): void
}

/** How a match begins: first everybody loads the same, then everybody sits down at the same tick. */
export class Opening {
  readonly #parts: OpeningParts

  constructor(parts: OpeningParts) {
    this.#parts = parts
  }

  /** The room is in another phase. Gives the options of the match when they are final. */
  enter(phase: LobbyPhase['name'], tickRate: number, nowMs: number): Uint8Array | undefined {
    this.#parts.emit({ type: 'phase', phase })
    const options = phase === 'loading' ? this.#launch(nowMs) : undefined
    if (phase === 'running') this.#start(tickRate, nowMs)
    if (phase === 'ended') this.#parts.emit({ type: 'ended' })
    return options
  }

  /** From here on options and seats stay as they are. Gives the options. */
  #launch(nowMs: number): Uint8Array {
    const { members, ticks, room } = this.#parts
    const { options } = room.lobby
    ticks.forgetAll()
    for (const session of members.sessions) {
      session.startOver()
      session.send(encodeMessage('RelayLaunch', { options, seat: session.seat }), nowMs)
    }
    return options
  }

  /** The first tick is the next one. */
  #start(tickRate: number, nowMs: number): void {
    const { members, ticks, room } = this.#parts
    ticks.start(tickRate, nowMs)
    for (const [seat, member] of members.seats.entries()) {
      if (!room.isAsIs) member?.session.guard.admission.noteStarted(nowMs)
      if (member !== undefined) ticks.sit(seat)
      else if (room.bots.beginPlay(seat)) ticks.sealer.addEvent({ type: 'join', seat })
    }
    this.#parts.emit({ type: 'started', tick: ticks.sealer.sealedTick + 1 })
  }
}
