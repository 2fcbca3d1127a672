import type { Room } from '../../room/room.ts'
import type { PresenceWatch } from '../guard/presence-watch.ts'
import type { MatchStates } from '../join/match-states.ts'
import type { RelayWakeReason } from '../wake-reason.ts'
import { soonestReason } from '../wake-reason.ts'
import type { DesyncWatch } from './hashes/desync-watch.ts'
import type { TickCore } from './ticks/tick-core.ts'

/** The parts of a match that may need to be woken. */
export interface WakeParts {
  readonly ticks: TickCore
  readonly room: Room
  readonly desync: DesyncWatch
  readonly states: MatchStates
  readonly presence: PresenceWatch
}

/** What the next wake-up of a match is for. */
export function matchWakeReason(parts: WakeParts): RelayWakeReason | undefined {
  const { ticks, room, desync, states, presence } = parts
  return soonestReason<RelayWakeReason>([
    [ticks.wakeReason, ticks.wakeAtMs()],
    ...room.wakeReasons(),
    ['flush', ticks.flushAtMs()],
    ['desync', desync.wakeAtMs()],
    ['state', states.wakeAtMs()],
    ['liveness', ticks.isGoing ? Number.POSITIVE_INFINITY : presence.wakeAtMs()],
  ])
}
