import { encodeMessage } from '../wire/messages.ts'
import type { Match } from './match.ts'
import type { MatchWatch } from './match-watch.ts'
import type { RoomHost } from './room.ts'
import type { Seating } from './seating.ts'
import type { TickClock } from './tick-clock.ts'

/** What a match does for its room. */
export function makeRoomHost(
  match: Match,
  seating: Seating,
  watch: MatchWatch,
  clock: () => TickClock | undefined,
  enter: RoomHost['enter'],
): RoomHost {
  return {
    seal: (event) => match.sealer.addEvent(event),
    setSpeed: (percent, nowMs) => {
      clock()?.setSpeed(percent, nowMs)
      watch.setSpeed(percent)
    },
    expel: (member, why, message, nowMs) => {
      const session = seating.member(member)
      const reason = why === 'timeout' ? 'too-slow' : 'kicked'
      if (session !== undefined) match.expel(session, why, { reason, message }, nowMs)
    },
    send: (bytes, isFor, nowMs) => seating.tell(bytes, match.room.lobby, isFor, nowMs),
    enter,
    activeSeats: () => seating.activeSeats(),
    moveBot: (seat, runner, turn, nowMs) => {
      const nextOrder = match.turns.startBot(seat, turn, match.phase === 'running')
      const body = { seat, runner, turn, nextOrder }
      seating.tellAll(encodeMessage('RelayBot', body), nowMs)
    },
  }
}
