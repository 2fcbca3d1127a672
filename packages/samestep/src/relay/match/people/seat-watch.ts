import type { Member, Members } from '../../../room/members.ts'
import type { Room } from '../../../room/room.ts'
import type { SeatChange } from '../../../room/seat-claims.ts'
import type { LobbyConfig } from '../../../wire/messages/match-config.ts'
import { silentMs } from '../../../wire/patience.ts'
import { AfkWatch } from '../../guard/afk-watch.ts'
import type { DesyncWatch } from '../hashes/desync-watch.ts'
import type { Fault, MatchEvent } from '../match-types.ts'
import type { Session } from '../session.ts'
import type { TickCore } from '../ticks/tick-core.ts'

/** What the watch needs of the match around it. */
export interface SeatParts {
  readonly members: Members<Session>
  readonly room: Room
  readonly ticks: TickCore
  readonly desync: DesyncWatch
  readonly rules: Pick<LobbyConfig, 'afkMs' | 'onAfk' | 'onAway'>
  isRunning(): boolean
  emit(event: MatchEvent): void
  /** Removes somebody who does nothing. */
  expel(session: Session, fault: Fault, nowMs: number): void
}

/**
 * Looks after seats whose players are not there: away, or in front of a screen that nobody looks at.
 * What happens then is the rule of the match; a seat that a bot took is given back when its player is.
 */
export class SeatWatch {
  readonly #parts: SeatParts
  readonly #afk: AfkWatch
  /** Since when players have no link. */
  readonly #lostAtMs = new WeakMap<Session, number>()
  #lookAtMs = 0

  constructor(parts: SeatParts) {
    this.#parts = parts
    const { members, rules, isRunning } = parts
    this.#afk = new AfkWatch({
      members,
      afkMs: rules.afkMs,
      isRunning,
      handleChange: (member, isAfk, nowMs) => this.#handleAfk(member, isAfk, nowMs),
    })
  }

  /** A player did something. */
  noteAct(session: Session, nowMs: number): void {
    this.#afk.noteAct(session, nowMs)
  }

  /** Somebody else plays a seat from the next tick on, or a bot. */
  switchSeat({ seat, holder, former }: SeatChange, nowMs: number): void {
    const { members, ticks, desync } = this.#parts
    ticks.switchSeat(seat, holder && members.get(holder.id)?.session)
    // What was reported from there is no word of whoever plays now.
    desync.forget(seat)
    const tick = ticks.sealer.sealedTick + 1
    for (const member of [former, holder]) {
      if (member !== undefined) members.get(member.id)?.session.noteSeatChange(tick, nowMs)
    }
  }

  /** Somebody has a link, and the state of the match: a seat that a bot plays for him is his again. */
  handleBack(session: Session, nowMs: number): void {
    session.actedAtMs = nowMs
    if (session.isWaitingForState) return
    const { room } = this.#parts
    room.claims.handleBack(session.member, nowMs)
    room.settle(nowMs)
  }

  handleTime(nowMs: number): void {
    this.#afk.handleTime(nowMs)
    const { members, rules, isRunning } = this.#parts
    if (rules.onAway !== 'bot' || nowMs < this.#lookAtMs || !isRunning()) return
    this.#lookAtMs = nowMs + lookEveryMs
    for (const { seat, session } of [...members.list]) {
      if (seat === undefined || session.isConnected) this.#lostAtMs.delete(session)
      else this.#noteAway(session, nowMs)
    }
  }

  #noteAway(session: Session, nowMs: number): void {
    const lostAtMs = this.#lostAtMs.get(session)
    if (lostAtMs === undefined) this.#lostAtMs.set(session, nowMs)
    else if (nowMs - lostAtMs >= silentMs) this.#standIn(session.member, nowMs)
  }

  #standIn(member: Member<Session>, nowMs: number): void {
    const { room } = this.#parts
    room.claims.standIn(member, nowMs)
    room.settle(nowMs)
  }

  #handleAfk(member: Member<Session>, isAfk: boolean, nowMs: number): void {
    const { room, rules, emit } = this.#parts
    emit({ type: 'afk', member: member.id, seat: member.seat, isAfk })
    room.handlePresence(nowMs)
    if (!isAfk) return
    if (rules.onAfk === 'bot') this.#standIn(member, nowMs)
    if (rules.onAfk !== 'remove') return
    const message = 'You did nothing for too long'
    this.#parts.expel(member.session, { reason: 'too-slow', message }, nowMs)
  }
}

/** How often seats are looked at. */
const lookEveryMs = 1_000
