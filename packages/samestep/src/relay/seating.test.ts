import { describe, expect, test } from 'vitest'
import { Lobby } from './lobby.ts'
import { lobbyRules } from './lobby-types.ts'
import { Seating } from './seating.ts'
import { Session } from './session.ts'
import { SessionGuard } from './session-guard.ts'
import { RecordingChannel } from './testing/recording-channel.ts'

function sessionOf(member: number, seat?: number): Session {
  const guard = new SessionGuard(seat, 20, undefined, 0)
  return new Session(new Uint8Array(16).fill(member), `m${member}`, seat, member, guard)
}

/** A seating with some sessions in their seats. */
function make(...seats: (number | undefined)[]) {
  const seating = new Seating(4)
  const sessions = seats.map((seat, member) => sessionOf(member, seat))
  for (const session of sessions) {
    seating.add(session)
    if (session.seat !== undefined) seating.seats[session.seat] = session
  }
  return { seating, sessions: sessions as [Session, Session, Session] }
}

describe('who sits where', () => {
  test('follows the lobby, in which people change their seats and stand up', () => {
    const lobby = new Lobby(lobbyRules({ seats: 4, start: 'by-owner' }), 0)
    const { seating, sessions } = make(undefined, undefined, undefined)
    for (const { member, name } of sessions) lobby.join(member, name, 'player', 0)
    seating.follow(lobby)
    expect(sessions.map(({ seat }) => seat)).toEqual([0, 1, 2])
    lobby.handle(0, { type: 'leave-seat' }, 0)
    lobby.handle(2, { type: 'take-seat', seat: 3 }, 0)
    seating.follow(lobby)
    expect(sessions.map(({ seat }) => seat)).toEqual([undefined, 1, 3])
    expect(seating.seats.map((session) => session?.member)).toEqual([undefined, 1, undefined, 2])
    expect(seating.seatedCount).toBe(2)
  })

  test('a session that is removed leaves its seat, once', () => {
    const { seating, sessions } = make(0, 2)
    expect(seating.remove(sessions[0])).toBe(true)
    expect(seating.remove(sessions[0])).toBe(false)
    expect([seating.has(sessions[0]), seating.seats[0], seating.seatedCount]).toEqual([
      false,
      undefined,
      1,
    ])
  })

  test('who was there before does not sit where somebody else sits now', () => {
    const { seating, sessions } = make(0, 0)
    expect(sessions.map((session) => seating.isSeated(session))).toEqual([false, true])
    seating.remove(sessions[0])
    expect(seating.seats[0]).toBe(sessions[1])
  })

  test('who only watches sits nowhere', () => {
    const { seating, sessions } = make(undefined)
    expect([seating.isSeated(sessions[0]), seating.sessions.size]).toEqual([false, 1])
  })
})

describe('finding somebody', () => {
  test('by number, and by a ticket of the same bytes', () => {
    const { seating, sessions } = make(0, 1, 2)
    expect(seating.member(2)).toBe(sessions[2])
    expect(seating.member(9)).toBeUndefined()
    expect(seating.withTicket(new Uint8Array(16).fill(1))).toBe(sessions[1])
    expect(seating.withTicket(new Uint8Array(15).fill(1))).toBeUndefined()
    expect(seating.withTicket(new Uint8Array(0))).toBeUndefined()
  })

  test('only who is there and keeps up is active', () => {
    const { seating, sessions } = make(0, 1, undefined)
    sessions[0].guard.liveness.handleLinkDown(0)
    expect(seating.activeSeats()).toEqual([1])
  })
})

describe('ticks that are needed', () => {
  test('are gone for who confirmed less than what is kept', () => {
    const { seating, sessions } = make(0, 1, undefined)
    for (const [index, session] of sessions.entries()) session.ackedTick = 20 + index
    expect(seating.fallenBehind(1)).toEqual([])
    expect(seating.fallenBehind(21)).toEqual([])
    expect(seating.fallenBehind(23)).toEqual(sessions.slice(0, 2))
  })
})

test('the soonest of all watches is when to look again', () => {
  const { seating, sessions } = make(0, 1)
  expect(new Seating(2).livenessAtMs()).toBe(Number.POSITIVE_INFINITY)
  sessions[0].guard.liveness.handlePacket(5_000)
  expect(seating.livenessAtMs()).toBe(sessions[1].guard.liveness.wakeAtMs())
})

test('a message to all is sent over every link that there is', () => {
  const { seating, sessions } = make(0, 1, undefined)
  const channels = [new RecordingChannel('stream'), new RecordingChannel('datagram')]
  sessions[0].attach(1, channels[0]!, 0)
  sessions[2].attach(2, channels[1]!, 0)
  seating.tellAll(Uint8Array.of(9), 0)
  expect(channels.map(({ controls }) => controls)).toEqual([[Uint8Array.of(9)], [Uint8Array.of(9)]])
})
