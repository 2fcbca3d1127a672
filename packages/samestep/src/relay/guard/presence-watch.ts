import type { Members } from '../../room/members.ts'
import type { Room } from '../../room/room.ts'
import type { MatchEvent } from '../match/match-types.ts'
import type { Session } from '../match/session.ts'
import type { BundleLog } from '../match/ticks/bundle-log.ts'
import type { MatchWatch } from '../pace/match-watch.ts'
import type { Blame, LivenessAlarm } from './presence.ts'

/** What the watch needs of the match around it. */
export interface PresenceParts {
  readonly members: Members<Session>
  readonly watch: MatchWatch
  readonly room: Room
  readonly log: BundleLog
  emit(event: MatchEvent): void
  /** Gives up somebody who was silent, or behind, for too long. */
  drop(session: Session, blame: Blame, nowMs: number): void
  /** Closes a link that nothing comes over. */
  closeLink(session: Session): void
}

/**
 * Watches over everybody in a match: who is there, who is not, and who else has to know. Each session
 * has a {@link Liveness} that decides; here it is asked in time, and what it says is passed on.
 */
export class PresenceWatch {
  /** When one of the sessions has to be looked after, or before. */
  readonly alarm: LivenessAlarm = { atMs: Number.POSITIVE_INFINITY }
  readonly #parts: PresenceParts

  constructor(parts: PresenceParts) {
    this.#parts = parts
  }

  /** Looks after everybody who is due, and notes when that has to be done again. */
  handleTime(nowMs: number): void {
    if (this.alarm.atMs > nowMs) return
    this.alarm.atMs = Number.POSITIVE_INFINITY
    const { members, log } = this.#parts
    for (const session of members.sessions) {
      const { liveness } = session.guard
      if (liveness.wakeAtMs() <= nowMs) {
        liveness.handleTime(session.reachableTick(log.sealedTick), nowMs)
        this.note(session, nowMs)
      }
      this.alarm.atMs = Math.min(this.alarm.atMs, liveness.lookAtMs())
    }
  }

  /** When one of them has to be looked after. */
  wakeAtMs(): number {
    let soonest = Number.POSITIVE_INFINITY
    for (const { guard } of this.#parts.members.sessions) {
      soonest = Math.min(soonest, guard.liveness.wakeAtMs())
    }
    return soonest
  }

  /** Passes on what the watch over a session noticed. */
  note(session: Session, nowMs: number): void {
    const { watch, room } = this.#parts
    const { member, guard } = session
    const { liveness } = guard
    const isSeenOtherwise = liveness.hasEvents
    for (let event = liveness.pollEvent(); event; event = liveness.pollEvent()) {
      this.#parts.emit({
        type: 'presence',
        member: member.id,
        seat: member.seat,
        event: event.type,
      })
      if (event.type === 'half-open') this.#parts.closeLink(session)
      if (event.type === 'gone') this.#parts.drop(session, event.blame, nowMs)
    }
    if (member.isIn && member.seat !== undefined) watch.setCounted(member.seat, session)
    if (isSeenOtherwise) room.handlePresence(nowMs)
    else room.settle(nowMs)
  }
}
