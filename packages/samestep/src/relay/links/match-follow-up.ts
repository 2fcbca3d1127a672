import { closeCodes } from '../../wire/codes.ts'
import type { Match } from '../match/match.ts'
import type { MatchTable } from '../match/match-table.ts'
import type { Recorder } from '../record/recorder.ts'
import type { LinkEndings } from './link-endings.ts'
import type { Link } from './link-state.ts'
import type { LinkTable } from './link-table.ts'

/**
 * What a relay does after a match was served: sends its output, and closes links of removed members.
 */
export class MatchFollowUp {
  readonly #links: LinkTable
  readonly #endings: LinkEndings
  readonly #matches: MatchTable
  readonly #recorder: Recorder | undefined

  constructor(
    links: LinkTable,
    endings: LinkEndings,
    matches: MatchTable,
    recorder: Recorder | undefined,
  ) {
    this.#links = links
    this.#endings = endings
    this.#matches = matches
    this.#recorder = recorder
  }

  /** Closes links of removed members, sends what a match has queued, and deletes it if it has ended. */
  finish(match: Match, timeMs: number): void {
    this.#recorder?.touch(match, timeMs)
    for (const { session, reason, message, isLinkOnly } of match.takeExpelled()) {
      const link = this.#links.get(session.link)
      if (link === undefined) continue
      if (isLinkOnly) this.#endings.end(link, closeCodes[reason], timeMs)
      else this.#endings.close(link, reason, message, timeMs)
    }
    this.#matches.serveTags(match, timeMs)
    this.#drain(match)
    if (match.phase !== 'ended') return
    for (const session of match.sessions) {
      const link = this.#links.get(session.link)
      if (link) this.#endings.close(link, 'match-over', 'The match is over', timeMs)
    }
    this.#matches.delete(match)
  }

  /** Sends what a match has queued. */
  #drain(match: Match): void {
    // By index: an iterator would create garbage in every tick of every match.
    const { sessions } = match
    for (let index = 0; index < sessions.length; index++) {
      const carrier = sessions[index]?.carrier
      // Every carrier is a link that the reception attached.
      if (carrier?.isOpen === true) this.#endings.flush(carrier as Link)
    }
  }
}
