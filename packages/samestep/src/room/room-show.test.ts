import { describe, expect, test } from 'vitest'
import type { LobbyConfig } from '../wire/messages/match-config.ts'
import type { MessageBody } from '../wire/messages/messages.ts'
import { decodeMessage, encodeMessage } from '../wire/messages/messages.ts'
import { PauseBudget } from './pause-budget.ts'
import { RoomShow } from './room-show.ts'
import { FakeSession, LobbyBench } from './testing/room-kit.ts'

/** A lobby with one member, and the show for it. */
function make(rules: Partial<LobbyConfig> = {}) {
  const lobby = new LobbyBench({ seats: 2, start: 'by-owner', ...rules })
  lobby.join(0)
  const [session] = lobby.members.sessions as [FakeSession]
  const show = new RoomShow(lobby.lobby, lobby.members, new PauseBudget(), 0)
  const takeRooms = () =>
    session.sent.splice(0).map((bytes) => decodeMessage(bytes).body as MessageBody<'RelayRoom'>)
  /** When something was shown up to a time. */
  const shownTo = (untilMs: number): number[] => {
    const times: number[] = []
    for (let wake = show.wakeAtMs(); wake <= untilMs; wake = show.wakeAtMs()) {
      show.handleTime(wake)
      times.push(wake)
    }
    return times
  }
  return { lobby, show, session, takeRooms, shownTo }
}

describe('the room is shown', () => {
  test('at once, and then every two seconds as a sign of life', () => {
    const { shownTo } = make()
    expect(shownTo(5_000)).toEqual([0, 2_000, 4_000])
  })

  test('when something changed, but changes of a tenth of a second are one message', () => {
    const { lobby, show, takeRooms, shownTo } = make()
    shownTo(0)
    lobby.join(1, 'player', 20)
    lobby.join(2, 'spectator', 40)
    show.handleTime(50)
    expect(show.wakeAtMs()).toBe(100)
    expect(shownTo(150)).toEqual([100])
    const rooms = takeRooms()
    expect(rooms.map(({ members }) => members.length)).toEqual([1, 3])
    expect(rooms[1]!.revision).toBeGreaterThan(rooms[0]!.revision)
  })

  test('when somebody fell silent, which the lobby does not know', () => {
    const { show, takeRooms, session, shownTo } = make()
    shownTo(0)
    session.presence = 'silent'
    show.touch()
    expect(shownTo(300)).toEqual([100])
    expect(takeRooms().at(-1)?.members).toMatchObject([{ presence: 'silent' }])
  })

  test('while the match runs only when something changed: ticks are sign of life enough', () => {
    const { lobby, show, shownTo } = make({ start: 'when-full' })
    lobby.join(1, 'player', 0)
    expect(lobby.phase).toBe('running')
    expect(shownTo(60_000)).toEqual([0])
    show.touch()
    expect(shownTo(60_000)).toEqual([100])
    expect(show.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
  })

  test('with the time that is left, and with how everybody is seen', () => {
    const { lobby, takeRooms, show } = make()
    lobby.join(1, 'player', 0)
    lobby.members.get(1)!.session.presence = 'lagging'
    lobby.handle(0, { type: 'start' }, 0)
    show.handleTime(1_000)
    expect(takeRooms()).toMatchObject([
      {
        phase: 'loading',
        remainingMs: 179_000,
        lockedSeats: [],
        members: [
          { id: 0, isOwner: true, presence: 'active', seat: 0 },
          { id: 1, isOwner: false, presence: 'lagging', seat: 1 },
        ],
      },
    ])
  })
})

describe('[T-36] a large crowd', () => {
  test('is shown changes less often, at 512 bytes per ms to all of them', () => {
    const { lobby, show, takeRooms } = make({ spectatorsMax: 192 })
    for (let id = 1; id <= 192; id++) {
      const member = lobby.members.add(id, 'ö'.repeat(32), () => new FakeSession(), 0)
      lobby.lobby.handleJoin(member, 'spectator', 0)
    }
    let shown = 0
    for (let nowMs = 0; nowMs < 20_000; nowMs += 50) {
      show.touch()
      if (show.wakeAtMs() > nowMs) continue
      show.handleTime(nowMs)
      shown += 1
    }
    const [room] = takeRooms()
    const bytes = encodeMessage('RelayRoom', room!).byteLength * 193
    expect(bytes).toBeGreaterThan(1_000_000)
    // The first is free; after that, never more often than every two seconds.
    expect(shown).toBeLessThanOrEqual(1 + 20_000 / 2_000)
  })
})

test('nobody is shown anything while nobody has a link', () => {
  const { show, session } = make()
  session.isConnected = false
  expect(show.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
})
