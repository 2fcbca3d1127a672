import { UsageError } from '../../base/errors.ts'
import type { RoomView } from '../../client/status/room-view.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Match } from './match.ts'
import { matchEventNames } from './match.ts'

/** @throws UsageError `SS_BAD_ARGUMENT` for what is no time. */
export function requireTime(nowMs: unknown): void {
  if (typeof nowMs === 'number' && Number.isFinite(nowMs)) return
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot advance to ${String(nowMs)}: pass the time of the frame in ms, as requestAnimationFrame((now) => match.advance(now)) does, or performance.now()`,
  )
}

/** @throws UsageError `SS_BAD_ARGUMENT` for a name that no event has. */
export function requireEvent(type: unknown): void {
  if ((matchEventNames as readonly unknown[]).includes(type)) return
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot listen for '${String(type)}': the events are ${[...matchEventNames].sort().join(', ')}`,
  )
}

/** For whoever asks for a simulation that is not set up yet. */
export function notLaunched(): UsageError {
  return new UsageError(
    'SS_NOT_LAUNCHED',
    "Cannot reach the simulation: the match is in its lobby; wait for the event 'launched'",
  )
}

/** Where a match stands, also before the relay said it and after the end. */
export function phaseOf({
  status,
  room,
  cursors,
}: Pick<Match<GameShape, unknown>, 'status' | 'room' | 'cursors'>): RoomView['phase'] {
  if (status === 'closed') return 'ended'
  return room?.phase ?? (cursors.sealedTick > 0 ? 'running' : 'lobby')
}
