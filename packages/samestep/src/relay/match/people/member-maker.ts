import type { MatchHistory } from '../../../record/match-history.ts'
import type { Member, Members } from '../../../room/members.ts'
import type { OrderRefusal } from '../../../wire/codes.ts'
import type { MatchConfig } from '../../../wire/messages/match-config.ts'
import type { LivenessAlarm } from '../../guard/presence.ts'
import { SessionGuard } from '../../guard/session-guard.ts'
import { Batching } from '../../pace/batching.ts'
import type { OrderRulebook } from '../orders/order-table.ts'
import { Session } from '../session.ts'
import type { DelayedView } from '../ticks/delayed-view.ts'

/** Makes those who come to a match its members, each with a session and a number of its own. */
export class MemberMaker {
  readonly #members: Members<Session>
  readonly #config: Pick<MatchConfig, 'tickRate' | 'batching' | 'referee'>
  readonly #rules: OrderRulebook | undefined
  readonly #alarm: LivenessAlarm
  readonly #view: DelayedView | undefined
  #count = 0

  constructor(
    members: Members<Session>,
    config: Pick<MatchConfig, 'tickRate' | 'batching' | 'referee'>,
    rules: OrderRulebook | undefined,
    alarm: LivenessAlarm,
    view: DelayedView | undefined,
  ) {
    this.#members = members
    this.#config = config
    this.#rules = rules
    this.#alarm = alarm
    this.#view = view
  }

  /** How many came so far. */
  get count(): number {
    return this.#count
  }

  /** Somebody comes. */
  make(name: string, ticket: Uint8Array, nowMs: number): Member<Session> {
    this.#count += 1
    return this.#add(this.#count - 1, name, ticket, nowMs)
  }

  /** Brings back those whom another relay wrote down. Their links are gone; they come with tickets. */
  restore(history: MatchHistory, nowMs: number): void {
    const { members, room, sealedTick, firstTick } = history
    this.#count = room?.memberCount ?? 0
    for (const body of members.values()) {
      const member = this.#add(body.id, body.name, body.ticket, nowMs)
      this.#members.restore(member, body)
      const rewindTick = soonest(body.rewindTick, history.rebuiltTick)
      member.session.restore({ ...body, rewindTick }, firstTick, sealedTick, nowMs)
      member.session.visitor.identity = body.identity
      const { strikes, muteMs } = history.conductOf(body.id)
      member.session.guard.strikes.restore(strikes, nowMs)
      if (muteMs > 0) member.speech.mute('vote', nowMs + muteMs)
      for (const { number, reason } of history.refusalsOf(body.id)) {
        member.session.control.refuse(number, reason as OrderRefusal, true)
      }
    }
  }

  #add(id: number, name: string, ticket: Uint8Array, nowMs: number): Member<Session> {
    const { tickRate, batching: mode, referee } = this.#config
    const guard = new SessionGuard(undefined, tickRate, this.#rules, nowMs, this.#alarm)
    const batching = mode === 'adaptive' ? new Batching({ tickRate }) : undefined
    const makeSession = (own: Member<Session>) =>
      new Session(own, ticket, guard, batching, this.#view, referee === 'witness')
    return this.#members.add(id, name, makeSession, nowMs)
  }
}

function soonest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}
