import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { optionsBytesMax } from '../wire/limits.ts'
import type { LobbyAction, LobbyPhase, LobbyRules } from './lobby-types.ts'
import { LobbyBench } from './testing/room-kit.ts'

type Changes = Partial<LobbyRules> & { readonly seats?: number }

function make(changes: Changes = {}): LobbyBench {
  return new LobbyBench({ start: 'when-ready', playersMin: 2, ...changes })
}

function withPlayers(count: number, changes: Changes = {}): LobbyBench {
  const lobby = make(changes)
  for (let id = 1; id <= count; id++) {
    expect(lobby.join(id, 'player', 0)).toBeUndefined()
  }
  return lobby
}

function drain(lobby: LobbyBench): string[] {
  const seen: string[] = []
  for (let event = lobby.pollEvent(); event; event = lobby.pollEvent()) {
    if (event.type === 'phase') seen.push(event.phase)
    else if (event.type === 'aborted') seen.push(`aborted: ${event.why}`)
    else seen.push(`${event.type} ${event.member?.id}`)
  }
  return seen
}

const ready = (optionsRevision = 0): LobbyAction => ({
  type: 'set-ready',
  isReady: true,
  optionsRevision,
})
const load = (progress: number): LobbyAction => ({ type: 'report-load', progress })

function allReady(lobby: LobbyBench, count: number): void {
  for (let id = 1; id <= count; id++) expect(lobby.handle(id, ready(), 0)).toBeUndefined()
}

describe('JOIN-01 a match', () => {
  test('goes from the lobby over loading and the countdown to running', () => {
    const lobby = withPlayers(2)
    drain(lobby)
    lobby.handle(1, ready(), 0)
    expect(lobby.phase).toBe('lobby')
    lobby.handle(2, ready(), 0)
    for (const id of [1, 2]) lobby.handle(id, load(100), 1_000)
    expect([lobby.wakeAtMs(), lobby.view(1_500).remainingMs]).toEqual([4_000, 2_500])
    lobby.handleTime(3_999)
    expect(lobby.phase).toBe('countdown')
    lobby.handleTime(4_000)
    lobby.leave(1, 5_000)
    lobby.leave(2, 5_000)
    expect(drain(lobby)).toEqual([
      'loading',
      'countdown',
      'running',
      'owner 2',
      'owner undefined',
      'ended',
    ])
    expect(lobby.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
  })

  test('that nobody talks about runs as soon as its last seat is taken', () => {
    const lobby = new LobbyBench({ seats: 3 })
    lobby.join(7, 'spectator', 0)
    for (const id of [1, 2, 3]) {
      expect(lobby.phase).toBe('lobby')
      lobby.join(id, 'player', 0)
    }
    expect(drain(lobby)).toEqual(['owner 1', 'running'])
    expect([1, 2, 3].map((id) => lobby.member(id)?.seat)).toEqual([0, 1, 2])
    lobby.leave(2, 1)
    expect(lobby.join(8, 'player', 2)).toBeUndefined()
    expect(lobby.member(8)?.seat).toBe(1)
    expect(lobby.join(9, 'player', 2)).toBe('full')
  })

  test('that nobody talks about is over when its players are gone, whoever watches', () => {
    const lobby = new LobbyBench({ seats: 2 })
    lobby.join(9, 'spectator', 0)
    lobby.join(1, 'player', 0)
    lobby.leave(1, 1)
    expect(lobby.phase).toBe('ended')
    const watched = new LobbyBench({ seats: 2 })
    for (const id of [8, 9]) watched.join(id, 'spectator', 0)
    watched.leave(8, 1)
    expect(watched.phase).toBe('lobby')
    watched.leave(9, 1)
    expect(watched.phase).toBe('ended')
  })

  test('that its owner starts early needs the fewest players, and no loading', () => {
    const lobby = new LobbyBench({ seats: 4, playersMin: 2 })
    lobby.join(1, 'player', 0)
    expect(lobby.handle(1, { type: 'start' }, 0)).toBe('too-few-players')
    lobby.join(2, 'player', 0)
    expect(lobby.handle(1, { type: 'start' }, 0)).toBeUndefined()
    expect(lobby.phase).toBe('running')
  })

  test('DIS-12 that was launched once and is empty is kept for a while', () => {
    const lobby = withPlayers(2, { emptyMs: 60_000 })
    for (const id of [1, 2]) {
      lobby.handle(id, { type: 'set-ready', isReady: true, optionsRevision: 0 }, 0)
    }
    expect(lobby.phase).toBe('loading')
    lobby.leave(2, 500)
    lobby.leave(1, 1_000)
    expect([lobby.phase, lobby.wakeAtMs()]).toEqual(['lobby', 61_000])
    lobby.join(2, 'player', 2_000)
    expect(lobby.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
    lobby.leave(2, 3_000)
    lobby.handleTime(63_000)
    expect(lobby.phase).toBe('ended')
    const never = make()
    never.handleTime(never.wakeAtMs())
    expect(never.phase).toBe('ended')
  })

  test('that was never launched is over as soon as it is empty, whatever its creator chose', () => {
    const lobby = withPlayers(1, { emptyMs: 600_000 })
    lobby.leave(1, 1_000)
    expect(lobby.phase).toBe('ended')
    const unvisited = make({ emptyMs: 600_000 })
    expect(unvisited.wakeAtMs()).toBe(5_000)
  })

  test('that an operator made waits as long as the operator says, launched or not', () => {
    const lobby = make({ keptMs: 3_600_000 })
    expect(lobby.wakeAtMs()).toBe(3_600_000)
    lobby.join(1, 'player', 1_000)
    lobby.leave(1, 2_000)
    expect([lobby.phase, lobby.wakeAtMs()]).toEqual(['lobby', 3_602_000])
  })

  test('puts who has a place of its own there, and leaves it there', () => {
    const lobby = make()
    expect(lobby.join(1, 'player', 0, { seat: 2, team: 1 })).toBeUndefined()
    expect(lobby.member(1)).toMatchObject({ seat: 2, team: 1 })
    for (const action of [
      { type: 'take-seat', seat: 0 },
      { type: 'leave-seat' },
      { type: 'choose-team', team: 3 },
    ] as const) {
      expect(lobby.handle(1, action, 0)).toBe('assigned')
    }
    expect(lobby.join(2, 'player', 0, { seat: 2 })).toBe('seat-taken')
    expect(lobby.join(2, 'player', 0, { seat: 4 })).toBe('no-such-seat')
    expect(lobby.join(2, 'player', 0, { team: 4 })).toBe('bad-value')
    expect(lobby.handle(1, { type: 'lock-seat', seat: 3, isLocked: true }, 0)).toBeUndefined()
    expect(lobby.join(2, 'player', 0, { seat: 3 })).toBe('seat-locked')
    expect(lobby.join(2, 'player', 0)).toBeUndefined()
    expect(lobby.member(2)?.seat).toBe(0)
    expect(lobby.handle(2, { type: 'take-seat', seat: 1 }, 0)).toBeUndefined()
  })
})

describe('the owner', () => {
  test('is the first player, then whom he names, then who has been there longest', () => {
    const lobby = make()
    lobby.join(9, 'spectator', 0)
    expect(lobby.owner).toBeUndefined()
    for (const id of [1, 2, 3]) lobby.join(id, 'player', 0)
    expect(lobby.handle(2, { type: 'give-ownership', member: 2 }, 0)).toBe('not-owner')
    expect(lobby.handle(1, { type: 'give-ownership', member: 3 }, 0)).toBeUndefined()
    lobby.leave(3, 0)
    lobby.leave(1, 0)
    lobby.leave(2, 0)
    expect(drain(lobby)).toEqual(['owner 1', 'owner 3', 'owner 1', 'owner 2', 'owner undefined'])
    lobby.handle(9, { type: 'take-seat', seat: 3 }, 0)
    expect(lobby.owner).toBe(9)
  })

  test('alone changes options, and nobody is ready for what he has not seen', () => {
    const lobby = withPlayers(3)
    const options = Uint8Array.of(1, 2, 3)
    lobby.handle(2, ready(), 0)
    expect(lobby.handle(2, { type: 'set-options', options }, 0)).toBe('not-owner')
    expect(lobby.handle(1, { type: 'set-options', options }, 0)).toBeUndefined()
    options[0] = 9
    expect(lobby.view(0)).toMatchObject({ options: Uint8Array.of(1, 2, 3), optionsRevision: 1 })
    expect(lobby.member(2)?.isReady).toBe(false)
    expect(lobby.handle(2, ready(0), 0)).toBe('stale-options')
    expect(lobby.handle(2, ready(1), 0)).toBeUndefined()
    const huge = new Uint8Array(optionsBytesMax + 1)
    expect(lobby.handle(1, { type: 'set-options', options: huge }, 0)).toBe('too-large')
    expect(lobby.member(2)?.isReady).toBe(true)
  })

  test('locks free seats and sends members away, but not himself', () => {
    const lobby = withPlayers(2)
    expect(lobby.handle(1, { type: 'lock-seat', seat: 1, isLocked: true }, 0)).toBe('seat-taken')
    expect(lobby.handle(1, { type: 'lock-seat', seat: 2, isLocked: true }, 0)).toBeUndefined()
    expect(lobby.handle(2, { type: 'take-seat', seat: 2 }, 0)).toBe('seat-locked')
    lobby.join(3, 'player', 0)
    expect(lobby.member(3)?.seat).toBe(3)
    expect(lobby.join(4, 'player', 0)).toBe('full')
    expect(lobby.handle(1, { type: 'kick', member: 1 }, 0)).toBe('bad-value')
    drain(lobby)
    expect(lobby.handle(1, { type: 'kick', member: 3 }, 0)).toBeUndefined()
    expect([drain(lobby), lobby.member(3)]).toEqual([['kicked 3'], undefined])
  })

  test('who starts needs all others to be ready, unless the rules leave it to him', () => {
    const lobby = withPlayers(3)
    lobby.handle(2, ready(), 0)
    expect(lobby.handle(1, { type: 'start' }, 0)).toBe('not-ready')
    lobby.handle(3, ready(), 0)
    expect(lobby.handle(1, { type: 'start' }, 0)).toBeUndefined()
    expect(lobby.phase).toBe('loading')
    const his = withPlayers(2, { start: 'by-owner' })
    allReady(his, 2)
    expect(his.phase).toBe('lobby')
    his.handle(1, { type: 'start' }, 0)
    expect(his.phase).toBe('loading')
  })
})

describe('members', () => {
  test('choose seats and teams, and are not ready after that', () => {
    const lobby = withPlayers(2)
    lobby.handle(2, ready(), 0)
    expect(lobby.handle(2, { type: 'take-seat', seat: 0 }, 0)).toBe('seat-taken')
    expect(lobby.handle(2, { type: 'take-seat', seat: 3 }, 0)).toBeUndefined()
    expect(lobby.member(2)).toMatchObject({ seat: 3, team: 3, isReady: false })
    expect(lobby.handle(2, { type: 'choose-team', team: 0 }, 0)).toBeUndefined()
    for (const seat of [-1, 4, 0.5, Number.NaN]) {
      expect(lobby.handle(2, { type: 'take-seat', seat }, 0)).toBe('no-such-seat')
      expect(lobby.handle(2, { type: 'choose-team', team: seat }, 0)).toBe('bad-value')
    }
    expect(lobby.member(2)?.team).toBe(0)
    lobby.handle(2, { type: 'leave-seat' }, 0)
    expect(lobby.member(2)).toMatchObject({ role: 'spectator', seat: undefined })
    expect(lobby.handle(2, ready(), 0)).toBe('not-player')
  })

  test('JOIN-17 who lose their link are not ready', () => {
    const lobby = withPlayers(2)
    lobby.handle(1, ready(), 0)
    lobby.setConnected(1, false)
    lobby.handle(2, ready(), 0)
    expect([lobby.phase, lobby.member(1)?.isReady]).toEqual(['lobby', false])
  })

  test('JOIN-15 are 64 players and 192 spectators at the most', () => {
    const lobby = make({ seats: 64, start: 'by-owner' })
    let id = 0
    while (lobby.join(id, 'player', 0) === undefined) id += 1
    expect(id).toBe(64)
    while (lobby.join(id, 'spectator', 0) === undefined) id += 1
    expect(id).toBe(256)
    expect(lobby.handle(3, { type: 'leave-seat' }, 0)).toBe('full')
    expect(lobby.view(0).members).toHaveLength(256)
  })
})

describe('JOIN-06 loading', () => {
  test('ends for who makes no progress; under abort all are back in the lobby', () => {
    const lobby = withPlayers(3)
    allReady(lobby, 3)
    lobby.handle(1, load(100), 10_000)
    lobby.handle(2, load(50), 20_000)
    expect(lobby.wakeAtMs()).toBe(30_000)
    drain(lobby)
    lobby.handleTime(30_000)
    expect(drain(lobby)).toEqual(['load-timeout 3', 'aborted: dropped', 'lobby'])
    expect(lobby.view(0).members.map(({ id, isReady }) => [id, isReady])).toEqual([
      [1, false],
      [2, false],
    ])
  })

  test('JOIN-07 goes on without who drops, under continue, while enough are left', () => {
    const lobby = withPlayers(3, { onLoadDrop: 'continue' })
    allReady(lobby, 3)
    for (const id of [1, 2]) lobby.handle(id, load(100), 0)
    lobby.leave(3, 1)
    expect(lobby.phase).toBe('countdown')
    drain(lobby)
    lobby.leave(2, 2)
    expect(drain(lobby)).toEqual(['aborted: too-few', 'lobby'])
  })

  test('JOIN-08 ends for everybody at its deadline, however steadily somebody loads', () => {
    const lobby = withPlayers(2, { loadMs: 60_000 })
    allReady(lobby, 2)
    lobby.handle(1, load(100), 0)
    for (let percent = 1; percent < 60; percent++) lobby.handle(2, load(percent), percent * 1_000)
    lobby.handleTime(59_999)
    expect(lobby.phase).toBe('loading')
    expect(lobby.wakeAtMs()).toBe(60_000)
    lobby.handleTime(60_000)
    expect(lobby.member(2)).toBeUndefined()
  })

  test('is not cut short by who only watches', () => {
    const lobby = withPlayers(2)
    lobby.join(9, 'spectator', 0)
    allReady(lobby, 2)
    lobby.leave(9, 0)
    expect(lobby.phase).toBe('loading')
    for (const id of [1, 2]) lobby.handle(id, load(100), 0)
    expect(lobby.phase).toBe('countdown')
  })

  test('F-14 forgets the time in which the relay stood still', () => {
    const lobby = withPlayers(2)
    allReady(lobby, 2)
    lobby.excuse(500_000)
    lobby.handleTime(500_000)
    expect(lobby.phase).toBe('loading')
  })

  test('progress only grows, and changes nothing when it does not', () => {
    const lobby = withPlayers(2)
    allReady(lobby, 2)
    lobby.handle(1, load(40), 0)
    const { revision } = lobby
    for (const value of [40, 39, 0]) expect(lobby.handle(1, load(value), 1)).toBeUndefined()
    for (const value of [-1, 101, 0.5, Number.NaN]) {
      expect(lobby.handle(1, load(value), 1)).toBe('bad-value')
    }
    expect([lobby.revision, lobby.member(1)?.loadProgress]).toEqual([revision, 40])
  })
})

describe('the countdown', () => {
  test('is called off by its owner, or by a player who is not ready after all', () => {
    for (const [id, action] of [
      [1, { type: 'cancel' }],
      [2, { type: 'set-ready', isReady: false, optionsRevision: 0 }],
    ] as const) {
      const lobby = withPlayers(2)
      allReady(lobby, 2)
      for (const one of [1, 2]) lobby.handle(one, load(100), 0)
      drain(lobby)
      expect(lobby.handle(id, action, 0)).toBeUndefined()
      expect(drain(lobby)).toEqual(['aborted: cancelled', 'lobby'])
    }
  })

  test('of no time is none', () => {
    const lobby = withPlayers(2, { countdownMs: 0 })
    allReady(lobby, 2)
    for (const id of [1, 2]) lobby.handle(id, load(100), 0)
    expect(lobby.phase).toBe('running')
  })
})

test('while a match runs, its late-join policy says who may come', () => {
  const allowed = (['players', 'spectators', 'nobody'] as const).map((lateJoin) => {
    const lobby = withPlayers(2, { lateJoin, countdownMs: 0 })
    allReady(lobby, 2)
    expect(lobby.join(7, 'player', 0)).toBe('starting')
    for (const id of [1, 2]) lobby.handle(id, load(100), 0)
    return [lobby.joinFault('player'), lobby.joinFault('spectator')]
  })
  expect(allowed).toEqual([
    [undefined, undefined],
    ['closed', undefined],
    ['closed', 'closed'],
  ])
})

const actions: readonly LobbyAction[] = [
  { type: 'take-seat', seat: 3 },
  { type: 'leave-seat' },
  { type: 'choose-team', team: 1 },
  { type: 'set-ready', isReady: false, optionsRevision: 0 },
  { type: 'report-load', progress: 50 },
  { type: 'set-options', options: new Uint8Array(2) },
  { type: 'lock-seat', seat: 3, isLocked: true },
  { type: 'kick', member: 2 },
  { type: 'give-ownership', member: 2 },
  { type: 'set-visibility', visibility: 'public' },
  { type: 'set-late-join', lateJoin: 'nobody' },
  { type: 'start' },
  { type: 'cancel' },
]

/** A lobby with an owner and another player, brought into a phase. */
function inPhase(phase: LobbyPhase['name']): LobbyBench {
  const lobby = withPlayers(2, { start: 'by-owner', playersMin: 1, onLoadDrop: 'continue' })
  if (phase === 'lobby') return lobby
  lobby.handle(1, { type: 'start' }, 0)
  if (phase === 'loading') return lobby
  for (const id of [1, 2]) lobby.handle(id, load(100), 0)
  if (phase === 'countdown') return lobby
  lobby.handleTime(3_000)
  if (phase === 'ended') lobby.end(3_000)
  return lobby
}

test('G-31 every wish in every phase is granted or refused as the table says', () => {
  const phases = ['lobby', 'loading', 'countdown', 'running', 'ended'] as const
  const table = actions.map((action) => {
    const cells = phases.map((phase) => inPhase(phase).handle(1, action, 3_000) ?? 'yes')
    return `${action.type}: ${cells.join(', ')}`
  })
  expect(table).toEqual([
    'take-seat: yes, wrong-phase, wrong-phase, wrong-phase, wrong-phase',
    'leave-seat: yes, wrong-phase, wrong-phase, wrong-phase, wrong-phase',
    'choose-team: yes, wrong-phase, wrong-phase, wrong-phase, wrong-phase',
    'set-ready: yes, wrong-phase, yes, wrong-phase, wrong-phase',
    'report-load: wrong-phase, yes, wrong-phase, yes, wrong-phase',
    'set-options: yes, wrong-phase, wrong-phase, wrong-phase, wrong-phase',
    'lock-seat: yes, wrong-phase, wrong-phase, yes, wrong-phase',
    'kick: yes, yes, yes, yes, wrong-phase',
    'give-ownership: yes, yes, yes, yes, wrong-phase',
    'set-visibility: yes, yes, yes, yes, wrong-phase',
    'set-late-join: yes, yes, yes, yes, wrong-phase',
    'start: yes, wrong-phase, wrong-phase, wrong-phase, wrong-phase',
    'cancel: wrong-phase, yes, yes, wrong-phase, wrong-phase',
  ])
  const others = actions.filter((action) => inPhase('lobby').handle(2, action, 0) === 'not-owner')
  expect(others).toEqual(actions.slice(5))
  for (const action of actions) {
    expect(inPhase('lobby').handle(99, action, 0)).toBe('unknown-member')
  }
})

const anyId = fc.integer({ min: 1, max: 4 })
const anyNumber = fc.oneof(fc.integer({ min: -2, max: 110 }), fc.constantFrom(0.5, Number.NaN, 100))
const anyAction: fc.Arbitrary<LobbyAction> = fc.oneof(
  fc.record({ type: fc.constant('take-seat' as const), seat: fc.oneof(fc.nat(3), anyNumber) }),
  fc.constant({ type: 'leave-seat' as const }),
  fc.record({ type: fc.constant('choose-team' as const), team: anyNumber }),
  fc.record({
    type: fc.constant('set-ready' as const),
    isReady: fc.constantFrom(true, true, false),
    optionsRevision: fc.nat(1),
  }),
  fc.record({
    type: fc.constant('report-load' as const),
    progress: fc.oneof(fc.constant(100), anyNumber),
  }),
  fc.record({
    type: fc.constant('set-options' as const),
    options: fc.uint8Array({ maxLength: 3 }),
  }),
  fc.record({ type: fc.constant('lock-seat' as const), seat: anyNumber, isLocked: fc.boolean() }),
  fc.record({ type: fc.constant('kick' as const), member: anyId }),
  fc.record({ type: fc.constant('give-ownership' as const), member: anyId }),
  fc.constantFrom({ type: 'start' as const }, { type: 'cancel' as const }),
)

const anyStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('join' as const),
      id: anyId,
      role: fc.constantFrom('player' as const, 'player' as const, 'spectator' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), id: anyId }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('link' as const), id: anyId, isUp: fc.boolean() }),
  },
  {
    weight: 9,
    arbitrary: fc.record({ kind: fc.constant('act' as const), id: anyId, action: anyAction }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(8_000) }) },
  // What random wishes rarely add up to.
  { weight: 3, arbitrary: fc.constant({ kind: 'all-ready' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'all-loaded' as const }) },
)

const nextPhases: Readonly<Record<LobbyPhase['name'], readonly LobbyPhase['name'][]>> = {
  lobby: ['loading', 'running', 'ended'],
  loading: ['lobby', 'countdown', 'running'],
  countdown: ['lobby', 'running'],
  running: ['ended'],
  ended: [],
}

const longRun = { minLength: 30, maxLength: 120 }

/** What holds of a lobby at any time, read off its view alone. */
function checkView(lobby: LobbyBench, nowMs: number): void {
  const { members, lockedSeats, phase } = lobby.view(nowMs)
  const players = members.filter(({ role }) => role === 'player')
  const seats = players.map(({ seat }) => seat)
  expect(new Set(seats).size).toBe(players.length)
  expect(seats.every((seat) => Number.isInteger(seat) && seat! >= 0 && seat! < 4)).toBe(true)
  expect(members.every(({ role, seat }) => (role === 'player') === (seat !== undefined))).toBe(true)
  expect(seats.some((seat) => lockedSeats.includes(seat!))).toBe(false)
  const owners = members.filter(({ isOwner }) => isOwner)
  expect(owners.length).toBe(lobby.owner === undefined ? 0 : 1)
  // Where there are players, it is somebody's.
  if (players.length > 0) expect(owners).toHaveLength(1)
  for (const { loadProgress, team, isReady, role } of members) {
    expect(Number.isInteger(loadProgress) && loadProgress >= 0 && loadProgress <= 100).toBe(true)
    expect(Number.isInteger(team) && team >= 0 && team < 4).toBe(true)
    if (role === 'spectator') expect(isReady).toBe(false)
  }
  if (phase === 'countdown') {
    expect(players.every(({ loadProgress }) => loadProgress === 100)).toBe(true)
  }
  if (phase === 'running') expect(players.length).toBeGreaterThan(0)
  expect(lobby.phase === 'ended' || lobby.wakeAtMs() > nowMs).toBe(true)
}

test('no sequence of wishes breaks a lobby: seats, owner, phases and revisions stay in order', () => {
  const reached = new Set<string>()
  const start = fc.constantFrom('when-full' as const, 'when-ready' as const, 'by-owner' as const)
  const drop = fc.constantFrom('abort' as const, 'continue' as const)
  fc.assert(
    fc.property(start, drop, fc.array(anyStep, longRun), (how, onLoadDrop, steps) => {
      const lobby = make({ start: how, onLoadDrop, playersMin: 2, emptyMs: 30_000 })
      let nowMs = 0
      let phase: LobbyPhase['name'] = 'lobby'
      for (const step of steps) {
        const before = JSON.stringify({ ...lobby.view(0), revision: 0, remainingMs: 0 })
        const { revision } = lobby
        if (step.kind === 'join' && lobby.member(step.id) === undefined) {
          const fault = lobby.joinFault(step.role)
          expect(lobby.join(step.id, step.role, nowMs)).toBe(fault)
        }
        if (step.kind === 'leave') lobby.leave(step.id, nowMs)
        if (step.kind === 'link') lobby.setConnected(step.id, step.isUp)
        if (step.kind === 'wait') nowMs += step.ms
        if (step.kind === 'wait') lobby.handleTime(nowMs)
        if (step.kind === 'act') {
          const isRefused = lobby.handle(step.id, step.action, nowMs) !== undefined
          if (isRefused) expect(lobby.revision).toBe(revision)
        }
        for (const { id } of lobby.view(0).members) {
          if (step.kind === 'all-ready')
            lobby.handle(id, ready(lobby.view(0).optionsRevision), nowMs)
          if (step.kind === 'all-loaded') lobby.handle(id, load(100), nowMs)
        }
        const after = JSON.stringify({ ...lobby.view(0), revision: 0, remainingMs: 0 })
        if (before !== after) expect(lobby.revision).toBeGreaterThan(revision)
        for (let event = lobby.pollEvent(); event; event = lobby.pollEvent()) {
          if (event.type !== 'phase') continue
          expect(nextPhases[phase]).toContain(event.phase)
          phase = event.phase
          reached.add(phase)
        }
        expect(lobby.phase).toBe(phase)
        checkView(lobby, nowMs)
      }
      // Whatever it came to, it is over soon after everybody is gone.
      for (let id = 1; id <= 4; id++) lobby.leave(id, nowMs)
      lobby.handleTime(nowMs + 30_000)
      expect([lobby.phase, lobby.wakeAtMs()]).toEqual(['ended', Number.POSITIVE_INFINITY])
    }),
    { numRuns: 150 },
  )
  expect([...reached]).toEqual(expect.arrayContaining(['lobby', 'loading', 'countdown', 'running']))
})
