import { BitWriter } from '../../../base/bit-writer.ts'
import type { Members } from '../../../room/members.ts'
import type { StatsMessages } from '../../pace/match-watch.ts'
import type { Session } from '../session.ts'
import type { BundleLog } from './bundle-log.ts'

// Shared by all matches, so that it stays in the cache: calls do not overlap.
const writer = new BitWriter(1_500)

/** Sends the sealed ticks of one match to all its members. */
export class TickSender {
  readonly #members: Members<Session>
  readonly #log: BundleLog
  readonly #isBatching: boolean
  readonly #randomWord: () => number

  constructor(
    members: Members<Session>,
    log: BundleLog,
    isBatching: boolean,
    randomWord: () => number,
  ) {
    this.#members = members
    this.#log = log
    this.#isBatching = isBatching
    this.#randomWord = randomWord
  }

  /**
   * A tick was sealed: sends it, and the statistics of the match if there are any. Returns the first
   * tick that a client may still need.
   */
  noteSealed(stats: StatsMessages | undefined, nowMs: number, intervalMs: number): number {
    const { firstTick, sealedTick } = this.#log
    let ackedTick = sealedTick
    const { sessions } = this.#members
    // By index: an iterator would create garbage in every tick of every match.
    for (let index = 0; index < sessions.length; index++) {
      const session = sessions[index] as Session
      // Statistics come once per second, and a new token with them.
      if (stats !== undefined) {
        session.send(session.isDelayed ? stats.delayed : stats.now, nowMs)
        session.renewToken(this.#randomWord, nowMs)
      }
      session.sendHeld(nowMs)
      // The ticks that it will need are kept because of `TickHost.neededTick`.
      if (session.isWaitingForState) continue
      if (session.ackedTick < ackedTick) ackedTick = session.ackedTick
      if (session.ackedTick + 1 < firstTick) continue
      session.noteSealed(this.#log, writer, nowMs, intervalMs)
    }
    return ackedTick + 1
  }

  /**
   * Sends ticks that have waited to be combined for long enough. `isStanding` says that no tick comes
   * for now: a match that waits for a player's input must not keep back the tick that calls for it.
   */
  flush(isStanding: boolean, nowMs: number): void {
    if (!this.#isBatching) return
    for (const session of this.#members.sessions) {
      const { flushAtMs } = session
      const isDue = flushAtMs <= nowMs || (isStanding && flushAtMs < Number.POSITIVE_INFINITY)
      if (isDue) session.sendTicks(this.#log, writer, nowMs)
    }
  }

  /** When {@link flush} next has something to send. */
  wakeAtMs(): number {
    let soonest = Number.POSITIVE_INFINITY
    if (!this.#isBatching) return soonest
    for (const { flushAtMs } of this.#members.sessions) soonest = Math.min(soonest, flushAtMs)
    return soonest
  }
}
