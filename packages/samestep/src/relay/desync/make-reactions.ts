import type { Room } from '../../room/room.ts'
import type { MatchStates } from '../join/match-states.ts'
import type { DesyncWatch } from '../match/hashes/desync-watch.ts'
import type { Departures } from '../match/people/departures.ts'
import type { ReactionParts } from './reaction.ts'

/** What reactions to a desync concern; asked for when it is needed, since the watch is made first. */
export interface Concerned {
  readonly room: Room
  desync(): DesyncWatch
  states(): MatchStates
  departures(): Departures
}

/** How reactions reach the parts of a match. */
export function makeReactions({ room, desync, states, departures }: Concerned): ReactionParts {
  return {
    halt: (nowMs) => room.halt(nowMs),
    resync: (session, nowMs) => {
      if (session.seat !== undefined) desync().forget(session.seat)
      states().resync(session, nowMs)
    },
    expel: (session, fault, nowMs) => departures().expel(session, 'refused', fault, nowMs),
  }
}
