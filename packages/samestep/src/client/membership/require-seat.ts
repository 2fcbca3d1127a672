import { UsageError } from '../../base/errors.ts'

/** Why something for players cannot be done, in the words of who tried. */
export function noSeat(what: string, where: 'connecting' | 'lobby' | 'match'): UsageError {
  if (where === 'lobby') {
    return new UsageError(
      'SS_NOT_LAUNCHED',
      `Cannot ${what}: the match is in its lobby; wait for the event 'launched'`,
    )
  }
  const why =
    where === 'match' ? 'a spectator has no seat' : 'the relay is not reached yet; wait for a seat'
  return new UsageError('SS_NOT_SEATED', `Cannot ${what}: ${why}`)
}

/** Why something about a match cannot be asked for before a relay let anybody in. */
export function notReached(what: string): UsageError {
  return new UsageError('SS_NOT_SEATED', `Cannot ${what}: the relay is not reached yet`)
}

/** Why nothing can be done any more. */
export function sessionOver(what: string): UsageError {
  return new UsageError('SS_CLOSED', `Cannot ${what}: the session is over`)
}
