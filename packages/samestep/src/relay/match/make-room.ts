import type { LobbyPhase } from '../../room/lobby-types.ts'
import type { Members } from '../../room/members.ts'
import { Room } from '../../room/room.ts'
import type { MatchSpec } from './match-types.ts'
import type { Departures } from './people/departures.ts'
import type { SeatWatch } from './people/seat-watch.ts'
import type { Session } from './session.ts'
import type { TickCore } from './ticks/tick-core.ts'

/** What stands around a room; asked for when it is needed, since some of it is made later. */
export interface RoomSurroundings {
  ticks(): TickCore
  seats(): SeatWatch
  departures(): Departures
  ticksPerSecond(): number
  enter(phase: LobbyPhase['name'], nowMs: number): void
}

/** The room of a match, and how what happens there reaches the match. */
export function makeRoom(
  { config, limits, nowMs: bornAtMs, notes }: MatchSpec,
  members: Members<Session>,
  { ticks, seats, departures, ticksPerSecond, enter }: RoomSurroundings,
): Room {
  return new Room(
    config,
    members,
    {
      seal: (event) => ticks().sealer.addEvent(event),
      setSpeed: (percent, nowMs) => ticks().setSpeed(percent, ticksPerSecond(), nowMs),
      switchSeat: (seat, holder) => seats().switchSeat(seat, holder),
      expel: ({ id }, why, message, nowMs) => departures().expelMember(id, why, message, nowMs),
      enter,
      noteSaid: (member, scope, text) => notes?.said.push({ member, scope, text }),
    },
    bornAtMs,
    limits,
  )
}
