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
