import { describe, expect, test } from 'vitest'
import { Lobby } from './lobby.ts'
import type { LobbyRules } from './lobby-types.ts'
import { lobbyRules } from './lobby-types.ts'
import { RoomShow } from './room-show.ts'
import { Seating } from './seating.ts'
import { Session } from './session.ts'
import { SessionGuard } from './session-guard.ts'
import { RecordingChannel } from './testing/recording-channel.ts'

/** A lobby with one who watches over a channel, and the show for him. */
function make(rules: Partial<LobbyRules> = {}) {
  const lobby = new Lobby(lobbyRules({ seats: 2, start: 'by-owner', ...rules }), 0)
  const seating = new Seating(2)
  const channel = new RecordingChannel('stream')
  const guard = new SessionGuard(undefined, 20, undefined, 0)
  const session = new Session(new Uint8Array(16), 'ada', undefined, 0, guard)
  session.attach(1, channel, 0)
  seating.add(session)
  lobby.join(0, 'ada', 'player', 0)
  const show = new RoomShow(lobby, seating, 0)
  /** When something was shown up to a time. */
  const shownTo = (untilMs: number): number[] => {
    const times: number[] = []
    for (let wake = show.wakeAtMs(); wake <= untilMs; wake = show.wakeAtMs()) {
      show.handleTime(wake)
      times.push(wake)
    }
    return times
  }
  return { lobby, show, channel, session, shownTo }
}

describe('the room is shown', () => {
  test('at once, and then every two seconds as a sign of life', () => {
    const { shownTo } = make()
    expect(shownTo(5_000)).toEqual([0, 2_000, 4_000])
  })

  test('when something changed, but changes of a tenth of a second are one message', () => {
    const { lobby, show, channel, shownTo } = make()
    shownTo(0)
    lobby.join(1, 'bob', 'player', 20)
    lobby.join(2, 'eve', 'spectator', 40)
    show.handleTime(50)
    expect(show.wakeAtMs()).toBe(100)
    expect(shownTo(150)).toEqual([100])
    const rooms = channel.takeControls('RelayRoom')
    expect(rooms.map(({ members }) => members.length)).toEqual([1, 3])
    expect(rooms[1]!.revision).toBeGreaterThan(rooms[0]!.revision)
  })

  test('when somebody fell silent, which the lobby does not know', () => {
    const { show, channel, session, shownTo } = make()
    shownTo(0)
    session.guard.liveness.handleLinkDown(200)
    show.touch()
    expect(shownTo(300)).toEqual([100])
    expect(channel.takeControls('RelayRoom').at(-1)?.members).toMatchObject([
      { presence: 'silent' },
    ])
  })

  test('while the match runs only when something changed: ticks are sign of life enough', () => {
    const { lobby, show, shownTo } = make({ start: 'when-full' })
    lobby.join(1, 'bob', 'player', 0)
    expect(lobby.phase).toBe('running')
    expect(shownTo(60_000)).toEqual([0])
    show.touch()
    expect(shownTo(60_000)).toEqual([100])
    expect(show.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
  })

  test('with the time that is left, and with who has no session any more as gone', () => {
    const { lobby, channel, show } = make()
    lobby.join(1, 'bob', 'player', 0)
    lobby.handle(0, { type: 'start' }, 0)
    show.handleTime(1_000)
    expect(channel.takeControls('RelayRoom')).toMatchObject([
      {
        phase: 'loading',
        remainingMs: 179_000,
        lockedSeats: [],
        members: [
          { id: 0, isOwner: true, presence: 'active', seat: 0 },
          { id: 1, isOwner: false, presence: 'gone', seat: 1 },
        ],
      },
    ])
  })
})
