import type { Match } from '../../relay/match/match.ts'
import type { Session } from '../../relay/match/session.ts'

/**
 * Who was in a match when something happened there. The events of a call are heard when the relay has
 * done all that was due, and by then others may have been let go:
 *
 *     the relay       tells of a desync ──► lets seat 3 go
 *     what is heard                                        ──► hash-mismatch ──► left
 *                                                              └── seat 3 is not in the match any more
 *
 * Whoever is gone, and has not been heard to leave, was there at the event.
 */
export class Attendance {
  #known: Match['sessions'] = []

  /** All that happened so far was heard. */
  noteCall({ sessions }: Pick<Match, 'sessions'>): void {
    this.#known = sessions
  }

  /** Whoever had this seat is heard to leave. */
  noteLeft(seat: number): void {
    this.#known = this.#known.filter((session) => session.seat !== seat || session.member.isIn)
  }

  /** The sessions at the event that is heard. Who is gone by now comes last. */
  at({ sessions }: Pick<Match, 'sessions'>): readonly Session[] {
    return [...sessions, ...this.#known.filter(({ member }) => !member.isIn)]
  }
}
