import type { Link } from './link-state.ts'
import type { Lobby } from './lobby.ts'
import type { Member } from './lobby-types.ts'
import type { Session } from './session.ts'
import type { WaitingTurns } from './waiting-turns.ts'

/** Who is in a match, and who sits where. */
export class Seating {
  readonly #sessions = new Set<Session>()
  #list: readonly Session[] = []
  /** By seat. */
  readonly seats: (Session | undefined)[]

  constructor(seatCount: number) {
    this.seats = new Array<Session | undefined>(seatCount).fill(undefined)
  }

  get sessions(): ReadonlySet<Session> {
    return this.#sessions
  }

  /** The same as a list that never changes: loops over it make no garbage. */
  get list(): readonly Session[] {
    return this.#list
  }

  /** Seats with a player. */
  get seatedCount(): number {
    let count = 0
    for (const session of this.seats) if (session !== undefined) count += 1
    return count
  }

  /** Whether a session that came here is still here. */
  has(session: Session): boolean {
    return session.isIn
  }

  add(session: Session): void {
    this.#sessions.add(session)
    session.isIn = true
    this.#list = [...this.#sessions]
  }

  /** Lets go of a session. False when it was gone already. */
  remove(session: Session): boolean {
    if (!this.#sessions.delete(session)) return false
    session.isIn = false
    this.#list = [...this.#sessions]
    if (this.isSeated(session)) this.seats[session.seat as number] = undefined
    return true
  }

  /** Whether a session sits in its seat, rather than somebody who came after it. */
  isSeated(session: Session): boolean {
    return session.seat !== undefined && this.seats[session.seat] === session
  }

  /** Seats everybody as the lobby says: there people change seats until the match is launched. */
  follow(lobby: Lobby): void {
    this.seats.fill(undefined)
    for (const session of this.#sessions) {
      session.seat = lobby.member(session.member)?.seat
      if (session.seat !== undefined) this.seats[session.seat] = session
    }
  }

  /** Gathers the turns of everybody that wait. */
  collectTurns(waiting: WaitingTurns<Link>): void {
    // By number: an iterator makes garbage in every tick of every match.
    for (let index = 0; index < this.#list.length; index++) {
      const carrier = this.#list[index]?.carrier
      if (carrier !== undefined && carrier.newestTurn >= 0) waiting.collect(carrier)
    }
  }

  member(id: number): Session | undefined {
    for (const session of this.#sessions) if (session.member === id) return session
    return undefined
  }

  withTicket(ticket: Uint8Array): Session | undefined {
    for (const session of this.#sessions) {
      const isSame = session.ticket.length === ticket.length
      if (isSame && session.ticket.every((byte, index) => byte === ticket[index])) return session
    }
    return undefined
  }

  /** Seats whose players are there and keep up. */
  activeSeats(): number[] {
    const isActive = (session: Session | undefined) => session?.guard.liveness.presence === 'active'
    return [...this.seats.keys()].filter((seat) => isActive(this.seats[seat]))
  }

  /** Sessions that confirmed so little that the log has moved on: they need what is gone. */
  fallenBehind(firstTick: number): readonly Session[] {
    let fallen = nobody
    if (firstTick === 1) return fallen
    for (const session of this.#sessions) {
      if (session.ackedTick + 1 < firstTick) fallen = [...fallen, session]
    }
    return fallen
  }

  /** When the watch over one of them has to look again. */
  livenessAtMs(): number {
    let soonest = Number.POSITIVE_INFINITY
    for (const { guard } of this.#list) {
      soonest = Math.min(soonest, guard.liveness.wakeAtMs())
    }
    return soonest
  }

  /** Sends a message to those of whom `isFor` says so. */
  tell(
    bytes: Uint8Array,
    lobby: Lobby,
    isFor: (member: Readonly<Member>) => boolean,
    nowMs: number,
  ): void {
    for (const { member: id, channel } of this.#list) {
      const member = lobby.member(id)
      if (member !== undefined && isFor(member)) channel?.sendControl(bytes, nowMs)
    }
  }

  /** Sends a message to all. */
  tellAll(bytes: Uint8Array, nowMs: number): void {
    for (const { channel } of this.#list) channel?.sendControl(bytes, nowMs)
  }
}

const nobody: readonly Session[] = Object.freeze([])
