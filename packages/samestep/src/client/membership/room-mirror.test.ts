import { describe, expect, test } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import { chatBytesMax } from '../../wire/limits.ts'
import type { RoomAction } from '../../wire/room-actions.ts'
import { readAction } from '../../wire/room-actions.ts'
import type { ClientEvent } from '../events.ts'
import { ClientWorld, calmStats, ownMember, roomOf } from '../testing/client-world.ts'
import { RoomMirror } from './room-mirror.ts'

const vote = {
  id: 3,
  kind: 'speed' as const,
  target: undefined,
  percent: 150,
  proposer: 1,
  yes: 1,
  no: 0,
  electors: 2,
  needed: 2,
  remainingMs: 9_000,
  state: 'open' as const,
}

describe('what the relay says about the match', () => {
  test('is passed on as it is', () => {
    const world = new ClientWorld().enterLobby()
    world.events.splice(0)
    world.show('lobby')
    world.say('RelaySaid', { member: 5, scope: 'team', text: 'left flank' })
    world.say('RelayVote', vote)
    world.say('RelayDenied', { action: 'start', reason: 'not-owner' })
    world.say('RelayStats', calmStats)
    expect(world.events).toEqual([
      { type: 'room', body: roomOf('lobby') },
      { type: 'said', body: { member: 5, scope: 'team', text: 'left flank' } },
      { type: 'vote', body: vote },
      { type: 'denied', body: { action: 'start', reason: 'not-owner' } },
      { type: 'stats', body: calmStats },
    ])
    expect(world.client.room).toEqual(roomOf('lobby'))
    expect(world.client.statistics.match).toEqual(calmStats)
  })

  test('is passed on while the match runs, too', () => {
    const world = new ClientWorld().sit()
    world.tick()
    world.say('RelaySaid', { member: 5, scope: 'all', text: 'gg' })
    world.say('RelayVote', vote)
    expect([world.eventsOf('said').length, world.eventsOf('vote').length]).toEqual([1, 1])
  })

  test('names the seat of every member that is there', () => {
    const events: ClientEvent[] = []
    const desk = new RoomMirror((event) => events.push(event))
    expect([desk.room, desk.stats, desk.seatOf(ownMember)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    desk.handle({ name: 'RelayRoom', body: roomOf('lobby', { seat: 1 }, { seat: 0 }) })
    expect([ownMember, 5, 6, undefined].map((member) => desk.seatOf(member))).toEqual([
      1,
      0,
      undefined,
      undefined,
    ])
    expect(events).toHaveLength(1)
  })
})

describe('a wish', () => {
  const codeOf = (world: ClientWorld, action: RoomAction) => {
    try {
      world.client.act(action)
    } catch (error) {
      if (error instanceof UsageError) return error.code
      throw error
    }
    return 'nothing was thrown'
  }

  test('reaches the relay as it was made', () => {
    const world = new ClientWorld().enterLobby()
    const wishes: RoomAction[] = [
      { type: 'say', scope: 'all', text: 'hello' },
      { type: 'take-seat', seat: 1 },
      { type: 'set-ready', isReady: true, optionsRevision: 4 },
      { type: 'start' },
    ]
    for (const wish of wishes) world.client.act(wish)
    world.settle()
    const heard = world.messages.flatMap(({ name, body }) =>
      name === 'ClientAct' ? [readAction(body)] : [],
    )
    expect(heard).toEqual(wishes)
  })

  test('before the relay let us in, and while the link is lost: SS_NOT_SEATED', () => {
    const world = new ClientWorld()
    expect(codeOf(world, { type: 'pause' })).toBe('SS_NOT_SEATED')
    world.open()
    expect(codeOf(world, { type: 'pause' })).toBe('SS_NOT_SEATED')
    world.sit()
    expect(codeOf(world, { type: 'pause' })).toBe('nothing was thrown')
    world.breakLink()
    expect(codeOf(world, { type: 'pause' })).toBe('SS_NOT_SEATED')
  })

  test('after the end: SS_CLOSED', () => {
    const world = new ClientWorld().sit()
    world.client.leave(world.nowMs)
    expect(codeOf(world, { type: 'pause' })).toBe('SS_CLOSED')
    world.client.reportLoad(50)
    expect(world.client.status).toBe('closed')
  })

  test.each([
    { type: 'say', scope: 'all', text: 'x'.repeat(chatBytesMax + 1) },
    { type: 'take-seat', seat: -1 },
    { type: 'set-speed', percent: 1.5 },
    { type: 'set-options', options: new Uint8Array(5_000) },
  ] as const)('that cannot be said: SS_BAD_VALUE', (action) => {
    const world = new ClientWorld().enterLobby()
    expect(codeOf(world, action)).toBe('SS_BAD_VALUE')
    expect([world.client.status, world.wishes]).toEqual(['lobby', []])
  })
})

test('a desync is told once, however often the relay repeats it, and stays in the statistics', () => {
  const world = new ClientWorld().sit()
  const desync = { tick: 9, agreedTick: 8, groups: [[0], [1]], isSpectator: false }
  expect(world.client.statistics.desync).toBeUndefined()
  world.say('RelayDesync', desync)
  world.say('RelayDesync', desync)
  world.say('RelayDesync', { ...desync, tick: 30, groups: [[0], [1], [2]] })
  world.say('RelayDesync', { ...desync, tick: 30, groups: [[0], [1], [2]] })
  const told = world.events.filter(({ type }) => type === 'desync')
  expect(told).toMatchObject([{ body: { tick: 9 } }, { body: { tick: 30 } }])
  expect(world.client.statistics.desync).toMatchObject({ tick: 30, agreedTick: 8 })
})
