import { describe, expect, test } from 'vitest'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import { TestTiming } from '../../transport/testing/test-timing.ts'
import { catchConsole } from '../testing/console-lines.ts'
import { bool, i16, single, table, u8 } from '../testing/kit.ts'
import { playLocal } from './play-local.ts'

const walker = defineGame({
  id: 'walker',
  version: 1,
  tickRate: 20,
  seats: { min: 1, max: 4 },
  state: { me: table(1, { x: i16 }), log: single({ jumps: u8 }) },
  input: { right: bool, jump: bool.oneShot() },
  orders: { goto: { x: i16 }, crash: {} },
  render: { me: { x: 'lerp' } },
  setup({ state }) {
    state.me.add()
  },
  validate({ order }) {
    return order.type !== 'goto' || order.data.x >= 0 || 'Only to the right'
  },
  step({ state, inputs, orders }) {
    if (inputs[0]?.right) state.me.x[0]! += 1
    if (inputs[0]?.jump) state.log.jumps += 1
    for (const order of orders) {
      if (order.type === 'goto') state.me.x[0] = order.data.x
      else throw new Error('crashed')
    }
  },
})

test('ticks follow the clock that the caller passes in', () => {
  const match = playLocal(walker, { seed: 1 })
  expect([match.status, match.seat]).toEqual(['active', 0])
  for (let now = 0; now <= 1_000; now += 16) match.advance(now)
  expect(match.cursors.simulatedTick).toBeGreaterThanOrEqual(18)
  expect(match.cursors.simulatedTick).toBeLessThanOrEqual(20)
})

test('the next tick sees what is held and ordered right before it', () => {
  const match = playLocal(walker, { seed: 1 })
  let now = 0
  const toNextTick = () => {
    const before = match.cursors.simulatedTick
    while (match.cursors.simulatedTick === before) {
      now += 5
      match.advance(now)
    }
  }
  toNextTick()
  now += 1
  match.advance(now)
  match.input({ right: true, jump: true })
  toNextTick()
  expect(match.simulation.state.me.x[0]).toBe(1)
  toNextTick()
  expect([match.simulation.state.me.x[0], match.simulation.state.log.jumps]).toEqual([2, 1])
  match.input({ right: false })
  match.order('goto', { x: 50 })
  toNextTick()
  expect(match.simulation.state.me.x[0]).toBe(50)
})

test('every order settles once: executed at its tick, or refused with the reason', async () => {
  const match = playLocal(walker, { seed: 1 })
  const good = match.order('goto', { x: 5 })
  const bad = match.order('goto', { x: -5 })
  for (let now = 0; now <= 200; now += 10) match.advance(now)
  expect(await good.settled).toMatchObject({ result: 'executed', tick: 1 })
  expect(await bad.settled).toMatchObject({ result: 'refused', reason: 'Only to the right' })
  const late = match.order('goto', { x: 7 })
  match.close()
  expect(late.end).toEqual({ result: 'lost' })
  expect(match.status).toBe('closed')
})

test('a picture lies between the tick before and the current one', () => {
  const match = playLocal(walker, { seed: 1 })
  match.input({ right: true })
  let last = -1
  for (let now = 0; now < 2_000; now += 7) {
    const { blend, alpha, current } = match.advance(now)
    const x = blend.me.x(0, alpha)
    expect(x).toBeGreaterThanOrEqual(last)
    expect(x).toBeLessThanOrEqual(current.me.x[0]!)
    last = x
  }
  expect(last).toBeGreaterThan(30)
})

test('faults of the game are told, and the game goes on', () => {
  const match = playLocal(walker, { seed: 1 })
  const faults: string[] = []
  match.on('tick', (report) => faults.push(...report.faults.map(({ name }) => name)))
  match.order('crash', {})
  for (let now = 0; now <= 300; now += 10) match.advance(now)
  expect(faults).toEqual(['step'])
  expect(match.cursors.simulatedTick).toBeGreaterThan(3)
})

test('a guard complains about a tick when it is over: its orders are settled, and the game goes on', () => {
  const match = playLocal(walker, { seed: 1, guard: true })
  for (let now = 0; now <= 200; now += 10) match.advance(now)
  const handle = match.order('goto', { x: 9 })
  match.simulation.state.me.x[0] = 77
  const before = match.cursors.simulatedTick
  expect(() => {
    for (let now = 210; now <= 300; now += 10) match.advance(now)
  }).toThrowError(/from outside a tick/)
  expect(handle.end).toEqual({ result: 'executed', tick: before + 1 })
  expect(match.simulation.state.me.x[0]).toBe(9)
  for (let now = 310; now <= 600; now += 10) match.advance(now)
  expect(match.cursors.simulatedTick).toBeGreaterThan(before + 4)
  const careless = playLocal(walker, { seed: 1, guard: false })
  careless.simulation.state.me.x[0] = 77
  for (let now = 0; now <= 200; now += 10) careless.advance(now)
  expect(careless.simulation.state.me.x[0]).toBe(77)
})

test('a wrong order name or field does not compile, and a wrong value throws at once', () => {
  const match = playLocal(walker, { seed: 1 })
  // @ts-expect-error there is no such order
  expect(() => match.order('fly', {})).toThrowError(/orders are goto, crash/)
  // @ts-expect-error there is no such field
  expect(() => match.order('goto', { y: 1 })).toThrowError(/goto/)
  expect(() => match.order('goto', { x: 1e9 })).toThrowError(/goto\.x/)
})

test.each([4, 16, 40, 60, 90, 150])('frames of %i ms play the game at its own pace', (frameMs) => {
  const match = playLocal(walker, { seed: 1 })
  match.advance(0)
  for (let now = frameMs; now <= 10_000; now += frameMs) match.advance(now)
  expect(Math.abs(match.cursors.simulatedTick - 200)).toBeLessThanOrEqual(4)
})

test('after a hidden minute the game makes up no more than its debt limit', () => {
  const match = playLocal(walker, { seed: 1 })
  for (let now = 0; now <= 1_000; now += 16) match.advance(now)
  const before = match.cursors.simulatedTick
  match.advance(61_000)
  for (let now = 61_016; now <= 62_000; now += 16) match.advance(now)
  expect(match.cursors.simulatedTick - before).toBeLessThanOrEqual(28)
})

test('a clock that is set back does not stop the game', () => {
  const match = playLocal(walker, { seed: 1 })
  for (let now = 900_000; now <= 901_000; now += 16) match.advance(now)
  const before = match.cursors.simulatedTick
  for (let now = 1_000; now <= 2_000; now += 16) {
    const { alpha } = match.advance(now)
    expect(alpha).toBeGreaterThanOrEqual(0)
  }
  expect(match.cursors.simulatedTick - before).toBeGreaterThanOrEqual(18)
})

test('the same seed and the same play give the same game', () => {
  const hashes = [0, 1].map(() => {
    const match = playLocal(walker, { seed: 7 })
    match.input({ right: true })
    for (let now = 0; now <= 1_000; now += 16) match.advance(now)
    return match.simulation.syncHashAt(match.simulation.matchTick)
  })
  expect(hashes[0]).toBe(hashes[1])
})

const duel = defineGame({
  id: 'duel',
  version: 1,
  tickRate: 20,
  seats: { min: 2, max: 4 },
  state: { me: table(4, { x: i16, shots: u8 }) },
  input: { right: bool },
  orders: { shoot: {} },
  setup({ state, seats }) {
    for (let seat = 0; seat < seats; seat++) state.me.add()
  },
  step({ state, inputs, orders }) {
    for (const [seat, { right }] of inputs.entries()) if (right) state.me.x[seat]! += 1
    for (const { seat } of orders) state.me.shots[seat]! += 1
  },
})

describe('several people at one machine', () => {
  test('a game for two starts at once, and each has a seat, inputs and orders', () => {
    const match = playLocal(duel, { seed: 1 })
    const [first, second] = match.players
    expect(match.players).toHaveLength(2)
    expect(first).toBe(match)
    expect([match.status, match.seat, second?.status, second?.seat]).toEqual([
      'active',
      0,
      'active',
      1,
    ])
    for (let now = 0; now <= 200; now += 16) match.advance(now)
    second?.input({ right: true })
    const shot = second?.order('shoot', {})
    for (let now = 216; now <= 1_000; now += 16) match.advance(now)
    expect(shot?.end).toMatchObject({ result: 'executed' })
    const { me } = match.simulation.state
    expect([me.x[0], me.shots[0], me.shots[1]]).toEqual([0, 0, 1])
    expect(me.x[1]).toBeGreaterThan(10)
    expect(match.room?.members.map(({ name, seat }) => [name, seat])).toEqual([
      ['player', 0],
      ['player 2', 1],
    ])
  })

  test('all of them are at the same state in the same tick, and none alone passes time', () => {
    const match = playLocal(duel, { seed: 1, seats: 4 })
    for (const [seat, player] of match.players.entries()) player.input({ right: seat % 2 === 0 })
    for (let now = 0; now <= 2_000; now += 16) match.advance(now)
    const { matchTick } = match.simulation
    expect(matchTick).toBeGreaterThan(30)
    const hashes = match.players.map(({ simulation }) => simulation.syncHashAt(matchTick))
    expect(new Set(hashes).size).toBe(1)
    expect(match.statistics.match?.mismatches).toBe(0)
    match.players[3]?.advance(60_000)
    expect(match.players[3]?.simulation.matchTick).toBe(matchTick)
  })

  test('who leaves leaves alone; the first one ends it for all', () => {
    const match = playLocal(duel, { seed: 1, seats: 3 })
    const [, second, third] = match.players
    for (let now = 0; now <= 200; now += 16) match.advance(now)
    third?.close()
    for (let now = 216; now <= 2_000; now += 16) match.advance(now)
    expect(match.simulation.isPresent(2)).toBe(false)
    expect(third?.status).toBe('closed')
    expect([match.status, second?.status]).toEqual(['active', 'active'])
    match.close()
    expect(match.status).toBe('closed')
  })

  test('in a lobby it is one player, and as many as are asked for', async () => {
    const timing = new TestTiming()
    const lobby = { start: 'by-owner', countdownMs: 0 } as const
    expect(playLocal(duel, { timing, lobby }).players).toHaveLength(1)
    const match = playLocal(duel, { timing, lobby, players: 2, seats: 3 })
    await timing.pass(100)
    match.act({ type: 'add-bot', seat: 2 })
    match.act({ type: 'start' })
    await timing.pass(500)
    expect(match.room?.phase).toBe('running')
    expect(match.players.map(({ seat }) => seat)).toEqual([0, 1])
  })

  test('numbers of players that cannot be are refused with what can', () => {
    expect(() => playLocal(duel, { players: 3 })).toThrowError(
      "Cannot play 'duel' with 3 players here: its match has 2 seats; write a whole number from 1 to 2",
    )
    expect(() => playLocal(duel, { players: 1 })).toThrowError(
      "Cannot play 'duel' with 1 of 2 players: nobody else can join; omit players, or pass lobby: { start: 'by-owner' } and let bots take the other seats",
    )
  })

  test('a fault is shown once, and a guard that throws stops nobody', () => {
    const lines = catchConsole()
    const { definition } = duel
    const faulty = defineGame({
      ...definition,
      step() {
        throw new RangeError('no')
      },
    } as typeof definition) as typeof duel
    const match = playLocal(faulty, { development: true })
    for (let now = 0; now <= 200; now += 16) match.advance(now)
    expect(lines.errors).toHaveLength(1)
    const wild = defineGame({
      ...definition,
      step: () => void Math.random(),
    } as typeof definition) as typeof duel
    const other = playLocal(wild, { guard: true })
    other.advance(0)
    let thrown = 0
    for (let now = 16; now <= 1_000; now += 16) {
      try {
        other.advance(now)
      } catch {
        thrown += 1
      }
    }
    expect(thrown).toBeGreaterThan(10)
    const [a, b] = other.players.map(({ simulation }) => simulation.matchTick)
    expect(a).toBe(b)
    expect(a).toBeGreaterThan(10)
  })
})

test("a game for two is played alone with a bot, from a lobby that goes by the machine's clock", async () => {
  const timing = new TestTiming()
  const match = playLocal(duel, { timing, lobby: { start: 'by-owner', countdownMs: 1_000 } })
  match.act({ type: 'add-bot', seat: 1 })
  match.act({ type: 'start' })
  await timing.pass(100)
  expect([match.status, match.room?.phase]).toEqual(['active', 'countdown'])
  // Pictures of the loaded game are drawn meanwhile: the same second does not count twice.
  for (let count = 0; count < 50; count++) {
    await timing.pass(16)
    match.advance(timing.nowMs())
  }
  expect([match.room?.phase, match.cursors.sealedTick]).toEqual(['countdown', 0])
  await timing.pass(200)
  expect(match.room?.phase).toBe('running')
  expect(timing.timerCount).toBe(0)
  for (let count = 0; count < 60; count++) match.advance(timing.nowMs() + count * 16)
  expect(match.cursors.simulatedTick).toBeGreaterThan(15)
})

test("while it is played, time is the caller's alone", async () => {
  const timing = new TestTiming()
  const match = playLocal(walker, { timing })
  await timing.pass(5_000)
  expect([match.status, match.cursors.sealedTick]).toEqual(['active', 0])
  match.advance(100)
  match.advance(200)
  await timing.pass(5_000)
  expect(match.cursors.sealedTick).toBe(2)
})

test('the end is told once, with its reason', () => {
  const match = playLocal(walker, { seed: 1 })
  const told: unknown[] = []
  match.on('closed', (event) => told.push(event.reason))
  const undo = match.on('status', (status) => told.push(status))
  match.close()
  match.close()
  undo()
  expect(told).toEqual(['left', 'closed'])
  expect(() => match.order('goto', { x: 1 })).toThrowError(/session is over/)
})
