import type { Member, Members } from '../../room/members.ts'
import type { Session } from '../match/session.ts'

/** What the watch needs of the match around it. */
export interface AfkParts {
  readonly members: Members<Session>
  /** How long a player may do nothing; 0 for as long as he likes. */
  readonly afkMs: number
  isRunning(): boolean
  /** Somebody has done nothing for that long, or does something again. */
  handleChange(member: Member<Session>, isAfk: boolean, nowMs: number): void
}

/**
 * Finds players whose machine plays on while nobody sits in front of it: no order, no changed input and
 * no wish of theirs for a while. What they do is seen in their turns, and never decoded.
 */
export class AfkWatch {
  readonly #parts: AfkParts
  #lookAtMs = 0

  constructor(parts: AfkParts) {
    this.#parts = parts
  }

  /** A player did something. */
  noteAct(session: Session, nowMs: number): void {
    session.actedAtMs = nowMs
    const { member } = session
    if (!member.isAfk) return
    member.isAfk = false
    this.#parts.handleChange(member, false, nowMs)
  }

  handleTime(nowMs: number): void {
    const { afkMs, members, isRunning } = this.#parts
    if (afkMs === 0 || nowMs < this.#lookAtMs || !isRunning()) return
    this.#lookAtMs = nowMs + lookEveryMs
    for (const member of [...members.list]) {
      const { session } = member
      if (member.seat === undefined || member.isAfk) continue
      // Who is away is told as that; the time counts from when he is back, or the match begins.
      const isHere = session.isConnected && !session.isWaitingForState
      if (session.actedAtMs === undefined || !isHere) session.actedAtMs = nowMs
      if (nowMs - session.actedAtMs < afkMs) continue
      member.isAfk = true
      this.#parts.handleChange(member, true, nowMs)
    }
  }
}

/** How often players are looked at: nobody minds a second. */
const lookEveryMs = 1_000
