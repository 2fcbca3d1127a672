import { describe, expect, test } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { chatBytesMax } from '../../wire/limits.ts'
import { readAction } from '../../wire/messages/room-actions.ts'
import type { ClientEvent } from '../events.ts'
import { ClientWorld } from '../testing/client-world.ts'
import { counter, optionBytes } from '../testing/counter.ts'
import { calmStats, ownMember, roomOf, shownRoom } from '../testing/rooms.ts'
import type { MatchAction } from './match-action.ts'
import { RoomMirror } from './room-mirror.ts'

type CounterShape = typeof counter extends Game<infer G, infer _> ? G : never

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
  test('is passed on as it is, but for the options, which are the game’s own', () => {
    const world = new ClientWorld().enterLobby()
    world.events.splice(0)
    world.show('lobby')
    world.say('RelaySaid', { member: 5, scope: 'team', text: 'left flank' })
    world.say('RelayVote', vote)
    world.say('RelayDenied', { action: 'start', reason: 'not-owner' })
    world.say('RelayStats', calmStats)
    expect(world.events).toEqual([
      { type: 'room', body: shownRoom('lobby') },
      { type: 'said', body: { member: 5, scope: 'team', text: 'left flank' } },
      { type: 'vote', body: vote },
      { type: 'denied', body: { action: 'start', reason: 'not-owner' } },
      { type: 'stats', body: calmStats },
    ])
    expect(world.client.room).toEqual(shownRoom('lobby'))
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
    const desk = new RoomMirror(counter, (event) => events.push(event))
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

describe('the options of a match', () => {
  const set = (world: ClientWorld, start: number, optionsRevision: number) =>
    world.say('RelayRoom', { ...roomOf('lobby'), options: optionBytes(start), optionsRevision })

  test('are frozen, and the same object for as long as they are the same', () => {
    const world = new ClientWorld().enterLobby()
    set(world, 5, 1)
    const before = world.client.room?.options
    set(world, 5, 1)
    expect(world.client.room?.options).toBe(before)
    set(world, 6, 2)
    expect([before, world.client.room?.options]).toEqual([{ start: 5 }, { start: 6 }])
    expect(Object.isFrozen(world.client.room?.options)).toBe(true)
  })

  test('that are none of the game are the defaults, in the room and in the match', () => {
    const world = new ClientWorld().enterLobby()
    const options = new Uint8Array(9)
    world.say('RelayRoom', { ...roomOf('lobby'), options, optionsRevision: 7 })
    expect(world.client.room?.options).toEqual({ start: 3 })
    world.say('RelayLaunch', { options, seat: 0 })
    expect(world.client.simulation?.options).toEqual({ start: 3 })
    expect(world.eventsOf('closed')).toEqual([])
  })

  test('are set by name, and travel whole', () => {
    const world = new ClientWorld().enterLobby()
    world.client.act({ type: 'set-options', options: { start: 9 } })
    world.settle()
    const heard = world.messages.flatMap(({ name, body }) =>
      name === 'ClientAct' ? [readAction(body)] : [],
    )
    expect(heard).toEqual([{ type: 'set-options', options: optionBytes(9) }])
  })
})

describe('a wish', () => {
  const codeOf = (world: ClientWorld, action: MatchAction<CounterShape>) => {
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
    const wishes: MatchAction<CounterShape>[] = [
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
    { type: 'set-options', options: { start: 1e9 } },
    { type: 'set-options', options: { begin: 1 } as never },
    { type: 'set-options', options: 7 as never },
    { type: 'set-options', options: new Uint8Array(3) as never },
  ] as const)('that cannot be said: SS_BAD_VALUE', (action) => {
    const world = new ClientWorld().enterLobby()
    expect(codeOf(world, action)).toBe('SS_BAD_VALUE')
    expect([world.client.status, world.wishes]).toEqual(['lobby', []])
  })
})

test('a desync is told once, however often the relay repeats it, and stays in the statistics', () => {
  const world = new ClientWorld().sit()
  const desync = { tick: 9, agreedTick: 8, groups: [[0], [1]], culprits: [], isSpectator: false }
  expect(world.client.statistics.desync).toBeUndefined()
  world.say('RelayDesync', desync)
  world.say('RelayDesync', desync)
  const later = { ...desync, tick: 30, groups: [[0, 2, 3], [1]], culprits: [1] }
  world.say('RelayDesync', later)
  world.say('RelayDesync', later)
  const told = world.events.filter(({ type }) => type === 'desync')
  expect(told).toMatchObject([
    { body: { stage: 'detected', tick: 9, verdict: { kind: 'undecided' } } },
    { body: { stage: 'detected', tick: 30, verdict: { kind: 'culprit', seats: [1] } } },
  ])
  expect(world.client.statistics.desync).toMatchObject({ tick: 30, agreedTick: 8 })
})

test('what is found out about a desync belongs to that one, also when a second was told since', () => {
  const world = new ClientWorld().sit()
  const told = { agreedTick: 8, culprits: [1], isSpectator: false }
  const finding = { isExact: true, place: undefined, writes: [], cause: undefined }
  world.say('RelayDesync', { ...told, tick: 9, groups: [[0], [1]] })
  world.say('RelayDesync', { ...told, tick: 30, groups: [[0], [1], [2]] })
  const found = { ...finding, toldTick: 9, tick: 7, stage: 'located' } as const
  world.say('RelayFinding', found)
  world.say('RelayFinding', found)
  world.say('RelayFinding', { ...finding, toldTick: 30, tick: 30, stage: 'traced' })
  world.say('RelayFinding', { ...finding, toldTick: 31, tick: 31, stage: 'traced' })
  const reports = world.events.flatMap((event) => (event.type === 'desync' ? [event.body] : []))
  expect(reports.slice(2)).toMatchObject([
    { toldTick: 9, tick: 7, agreedTick: 6, groups: [[0], [1]], stage: 'located' },
    { toldTick: 30, tick: 30, agreedTick: 29, groups: [[0], [1], [2]], stage: 'traced' },
  ])
  expect(reports).toHaveLength(4)
  expect(world.client.statistics.desync).toMatchObject({ toldTick: 30, stage: 'traced' })
})
