import { BitWriter } from '../../../base/bit-writer.ts'
import type { Members } from '../../../room/members.ts'
import type { StatsMessages } from '../../pace/match-watch.ts'
import type { Session } from '../session.ts'
import type { BundleLog } from './bundle-log.ts'

// Shared by all matches, so that it stays in the cache: calls do not overlap.
const writer = new BitWriter(1_500)

/** Sends the sealed ticks of one match to everybody in it. */
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
   * A tick was sealed; with it come the figures of the match when it is time for some. Gives the first
   * tick that somebody may still need.
   */
  noteSealed(stats: StatsMessages | undefined, nowMs: number, intervalMs: number): number {
    const { firstTick, sealedTick } = this.#log
    let ackedTick = sealedTick
    const { sessions } = this.#members
    // By number: an iterator makes garbage in every tick of every match.
    for (let index = 0; index < sessions.length; index++) {
      const session = sessions[index] as Session
      // Once per second, and with it a new token.
      if (stats !== undefined) {
        session.send(session.isDelayed ? stats.delayed : stats.now, nowMs)
        session.renewToken(this.#randomWord, nowMs)
      }
      session.sendHeld(nowMs)
      // What it will need is kept by whoever gets its state.
      if (session.isWaitingForState) continue
      if (session.ackedTick < ackedTick) ackedTick = session.ackedTick
      if (session.ackedTick + 1 < firstTick) continue
      session.noteSealed(this.#log, writer, nowMs, intervalMs)
    }
    return ackedTick + 1
  }

  /**
   * Sends what has waited for company long enough; `isStanding` when no tick comes now to keep it any:
   * a match that waits for somebody's input must not keep from him the tick that calls for it.
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
