import { Members } from '../../room/members.ts'
import { SessionGuard } from '../guard/session-guard.ts'
import { Session } from '../match/session.ts'
import type { Batching } from '../pace/batching.ts'

/** How a session of a test differs from one in seat 0. */
export interface SessionWishes {
  /** `undefined` for somebody who watches. */
  readonly seat?: number | undefined
  readonly tickRate?: number
  readonly batching?: Batching
}

let nextId = 0

/** Somebody comes into a match. */
export function addSession(members: Members<Session>, wishes: SessionWishes = {}): Session {
  const { seat, tickRate = 20, batching } = { seat: 0, ...wishes }
  const id = nextId++
  const guard = new SessionGuard(seat, tickRate, undefined, 0)
  const ticket = new Uint8Array(16).fill(id)
  const member = members.add(id, 'ada', (own) => new Session(own, ticket, guard, batching), 0)
  if (seat !== undefined) members.sit(member, seat)
  return member.session
}

/** A session that is alone in its match. */
export function makeSession(wishes: SessionWishes = {}): Session {
  return addSession(new Members<Session>(4), wishes)
}
