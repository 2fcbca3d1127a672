import { describe, expect, test } from 'vitest'
import type { PresenceWord } from '../../wire/codes.ts'
import { type roomOf, shownRoom } from '../testing/rooms.ts'
import type { Presence } from './presence-changes.ts'
import { PresenceChanges } from './presence-changes.ts'

type Phase = Parameters<typeof roomOf>[0]

/** Ada (member 4, seat 0) and Ben (member 5, seat 1); the tests are about Ben. */
function watch() {
  const told: Presence[] = []
  const changes = new PresenceChanges((presence) => told.push(presence))
  return {
    changes,
    told: () => told.splice(0).map(({ name, change, reason }) => [name, change, reason]),
    both: (presence: PresenceWord, phase: Phase = 'running') =>
      changes.handleRoom(shownRoom(phase, {}, { presence })),
    alone: (phase: Phase = 'running') => {
      const room = shownRoom(phase)
      changes.handleRoom({ ...room, members: room.members.slice(0, 1) })
    },
    heard: told,
  }
}

describe('what became of whom', () => {
  test('is told from the second room on: whoever was there has not just come', () => {
    const { both, alone, told } = watch()
    both('lagging')
    expect(told()).toEqual([])
    both('lagging')
    expect(told()).toEqual([])
    const later = watch()
    later.alone('lobby')
    later.both('active', 'lobby')
    expect(later.told()).toEqual([['ben', 'joined', undefined]])
    alone('lobby')
    expect(told()).toEqual([['ben', 'left', undefined]])
  })

  test.each<[PresenceWord, PresenceWord, string[]]>([
    ['active', 'silent', ['disconnected']],
    ['silent', 'active', ['reconnected']],
    ['silent', 'catching-up', ['reconnected', 'catching-up']],
    ['silent', 'hidden', ['reconnected', 'hidden']],
    ['catching-up', 'active', ['caught-up']],
    ['silent', 'authorised', ['reconnected', 'catching-up']],
    ['authorised', 'downloading', []],
    ['downloading', 'catching-up', []],
    ['downloading', 'active', ['caught-up']],
    ['active', 'lagging', ['lagging']],
    ['lagging', 'active', ['recovered']],
    ['lagging', 'hidden', ['hidden']],
    ['hidden', 'active', ['visible']],
    ['catching-up', 'lagging', ['lagging']],
    ['hidden', 'silent', ['disconnected']],
    ['silent', 'gone', []],
    ['active', 'active', []],
  ])('from %s to %s', (before, after, changes) => {
    const { both, told } = watch()
    both(before)
    both(after)
    expect(told()).toEqual(changes.map((change) => ['ben', change, undefined]))
  })

  test('names the member, the seat and the role', () => {
    const { both, heard } = watch()
    both('active')
    both('silent')
    expect(heard).toEqual([
      {
        change: 'disconnected',
        member: 5,
        name: 'ben',
        role: 'player',
        seat: 1,
        reason: undefined,
      },
    ])
  })
})

describe('why a player left is told with it', () => {
  test('when the tick comes after the room', () => {
    const { both, alone, told, changes } = watch()
    both('active')
    alone()
    alone()
    expect(told()).toEqual([])
    changes.handleLeave(1, 'timeout')
    expect(told()).toEqual([['ben', 'left', 'timeout']])
    alone()
    expect(told()).toEqual([])
  })

  test('when the tick comes before the room', () => {
    const { both, alone, told, changes } = watch()
    both('active')
    changes.handleLeave(1, 'kicked')
    both('gone')
    expect(told()).toEqual([])
    alone()
    expect(told()).toEqual([['ben', 'left', 'kicked']])
  })

  test('and never with the reason of who sat there before', () => {
    const { both, alone, told, changes } = watch()
    alone()
    changes.handleLeave(1, 'kicked')
    both('active')
    alone()
    expect(told()).toEqual([['ben', 'joined', undefined]])
    changes.handleLeave(1, 'left')
    expect(told()).toEqual([['ben', 'left', 'left']])
  })

  test('unless the tick was passed over: then when somebody else sits there', () => {
    const { both, alone, told, changes } = watch()
    both('active')
    alone()
    changes.handleRoom(shownRoom('running', {}, { id: 6, name: 'cleo' }))
    expect(told()).toEqual([
      ['ben', 'left', undefined],
      ['cleo', 'joined', undefined],
    ])
  })
})
