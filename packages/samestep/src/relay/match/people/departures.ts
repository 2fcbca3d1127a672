import type { Members } from '../../../room/members.ts'
import type { Room } from '../../../room/room.ts'
import type { LeaveReason } from '../../../sim/game/run/bundle.ts'
import { spectatorSeat } from '../../../sim/game/run/bundle.ts'
import type { Blame } from '../../guard/presence.ts'
import type { DesyncWatch } from '../hashes/desync-watch.ts'
import type { Expulsion, Fault, MatchEvent } from '../match-types.ts'
import type { Session } from '../session.ts'
import type { TickCore } from '../ticks/tick-core.ts'
import type { KickedList } from './kicked-list.ts'
import type { PastSpeech } from './past-speech.ts'

/** What departures need of the match around them. */
export interface DepartureParts {
  readonly members: Members<Session>
  readonly ticks: TickCore
  readonly room: Room
  readonly desync: DesyncWatch
  /** Who was sent away, and may not come back. */
  readonly kicked: KickedList
  /** What those who are gone may say when they come back. */
  readonly pastSpeech: PastSpeech
  emit(event: MatchEvent): void
  /** Nothing is expected of somebody any more. */
  forget(session: Session, nowMs: number): void
}

/**
 * How members leave a match: there is one way out, whoever wants it so. The seat is left at the next
 * tick, for everybody the same; links of those who were sent away are for the relay to close.
 */
export class Departures {
  readonly #parts: DepartureParts
  readonly #expelled: Expulsion[] = []

  constructor(parts: DepartureParts) {
    this.#parts = parts
  }

  /** Ends a session for good. */
  remove(session: Session, reason: LeaveReason, nowMs: number, told?: string, blame?: Blame): void {
    const { member } = session
    if (!member.isIn) return
    const { members, ticks, room, desync, pastSpeech } = this.#parts
    pastSpeech.keep(session, nowMs)
    room.claims.handleLeaving(member, nowMs)
    members.remove(member)
    this.#parts.forget(session, nowMs)
    const { seat } = member
    // Who is sent away orders nothing from then on, whether it sat or watched (T-57).
    const isSentAway = reason === 'kicked' || reason === 'voted-out'
    if (seat === undefined && isSentAway) ticks.sealer.forgetOrders(spectatorSeat(member.id))
    if (seat !== undefined) {
      ticks.leave(seat, reason, session.stateWait?.isNewcomer !== true)
      desync.forget(seat)
      this.#parts.emit({ type: 'left', seat, reason, told, blame: blame && { ...blame, seat } })
    }
    ticks.settleRest(nowMs)
    room.remove(member, nowMs)
  }

  /** Ends somebody's session by the relay's own decision. */
  expel(session: Session, why: LeaveReason, fault: Fault, nowMs: number, blame?: Blame): void {
    if (!session.member.isIn) return
    if (why === 'kicked' || why === 'voted-out') this.#parts.kicked.note(session)
    this.remove(session, why, nowMs, fault.message, blame)
    this.#expelled.push({ session, ...fault, isLinkOnly: false })
  }

  /** Sends away whoever sits there, as an operator may. False when nobody does. */
  kick(seat: number, nowMs: number): boolean {
    const session = this.#parts.members.seats[seat]?.session
    const fault = { reason: 'kicked', message: 'You were removed from the match' } as const
    if (session !== undefined) this.expel(session, 'kicked', fault, nowMs)
    return session !== undefined
  }

  /** Ends the session of a member, as the room decided. */
  expelMember(id: number, why: LeaveReason, message: string, nowMs: number): void {
    const member = this.#parts.members.get(id)
    const reason = why === 'timeout' ? 'too-slow' : 'kicked'
    if (member !== undefined) this.expel(member.session, why, { reason, message }, nowMs)
  }

  /** Gives up somebody who needs ticks that are not kept any more. */
  expelBehind(session: Session, nowMs: number): void {
    const message = 'You were away for longer than the relay keeps ticks'
    this.expel(session, 'timeout', { reason: 'behind-log', message }, nowMs)
  }

  /** Gives up somebody who was silent, or behind, for too long. */
  drop(session: Session, blame: Blame, nowMs: number): void {
    const message =
      blame.reason === 'timeout'
        ? 'The relay received nothing from you for too long'
        : 'Your client fell too far behind'
    this.expel(session, 'timeout', { reason: 'too-slow', message }, nowMs, blame)
  }

  /** Closes a link that nothing comes over. Its session waits for another one. */
  closeLink(session: Session): void {
    const message = 'Nothing arrived over your connection for too long'
    this.#expelled.push({ session, reason: 'too-slow', message, isLinkOnly: true })
  }

  /** Sessions and links that are over since the last call: the links are to be closed. */
  take(): readonly Expulsion[] {
    return this.#expelled.length === 0 ? nobody : this.#expelled.splice(0)
  }
}

const nobody: readonly Expulsion[] = Object.freeze([])
