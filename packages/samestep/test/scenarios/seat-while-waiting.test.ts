import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { injectDesync } from '../../src/desync/inject.ts'
import { playTogether } from '../../src/driver/together/index.ts'
import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import { i32, range, u16 } from '../../src/sim/schema/index.ts'
import { single } from '../../src/sim/state/single.ts'
import { table } from '../../src/sim/state/table.ts'
import type { LobbyConfig } from '../../src/wire/messages/match-config.ts'

/** A state of some chunks, so that its download takes a while. */
const arena = defineGame({
  id: 'arena',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 4 },
  state: { cells: table(4_000, { height: i32 }), sum: single({ moved: i32 }) },
  input: { dx: range(-1, 1).default(0) },
  orders: { dig: { cell: u16 } },
  setup({ state }) {
    for (let row = 0; row < 4_000; row++) state.cells.add()
  },
  apply({ state, seat, order }) {
    state.cells.height[order.data.cell % 4_000]! += seat + 1
  },
  step({ state, inputs, random }) {
    state.cells.height[random.below(4_000)]! += 1
    for (const { dx } of inputs) state.sum.moved += dx
  },
})

beforeEach(() => {
  vi.spyOn(console, 'warn').mockReturnValue()
})

afterEach(() => {
  vi.restoreAllMocks()
})

function play(kind: 'stream' | 'datagram', rules: Partial<LobbyConfig>) {
  const lobby = { start: 'by-owner', countdownMs: 0, ...rules } as const
  return playTogether(arena, {
    ...{ kind, lobby, players: 3, seats: 4, desync: 'resync', development: false },
    conditions: { latencyMs: 40, jitterMs: 5 },
  })
}

type World = Awaited<ReturnType<typeof play>>
type Match = World['matches'][number]

/** Three players; Ada has given her seat to Bob, who watched, and may have it back. */
async function handedOver(kind: 'stream' | 'datagram', rules: Partial<LobbyConfig> = {}) {
  const world = await play(kind, rules)
  const [first, ada] = world.matches as [Match, Match]
  first.act({ type: 'start' })
  await world.advanceUntil(() =>
    world.matches.every((match) => match.playState().name === 'active'),
  )
  first.input({ dx: 1 })
  await world.advance(20_000)
  const bob = await world.join({ role: 'spectator' })
  await world.advanceUntil(() => bob.playState().name === 'active', 60_000)
  await world.advance(1_000)
  ada.act({ type: 'hand-over', seat: 1, member: bob.member as number })
  await world.advance(2_000)
  expect([ada.seat, bob.seat]).toEqual([undefined, 1])
  return { world, ada, bob }
}

/** Loads a page again when no state is at hand: the next one is of a tick to come. */
async function reload(world: World, player: number): Promise<Match> {
  await world.advance(25_000)
  return world.reload(player)
}

/** The seat that the others see somebody in: the relay's word. */
function seatOf(world: World, match: Match): number | undefined {
  return world.matches[0]?.room?.members.find(({ id }) => id === match.member)?.seat
}

/** The seats that a player is told of from here on. */
function heardBy(match: Match): (number | undefined)[] {
  const seats: (number | undefined)[] = []
  match.on('seat', ({ seat }) => seats.push(seat))
  return seats
}

/** What somebody must know who lost its seat while it waited, and has the state by now. */
async function expectLost(world: World, match: Match, seats: readonly (number | undefined)[]) {
  await world.advanceUntil(() => match.playState().name === 'active', 60_000)
  await world.advance(3_000)
  expect([match.seat, seatOf(world, match), seats]).toEqual([undefined, undefined, [undefined]])
  expect(() => match.order('dig', { cell: 1 })).toThrow('a spectator has no seat')
  world.expectInSync()
  world.close()
}

/** What somebody must know who got a seat while it waited, and has the state by now. */
async function expectGained(world: World, match: Match, seats: readonly (number | undefined)[]) {
  await world.advanceUntil(() => match.playState().name === 'active' && match.seat === 1, 60_000)
  const order = match.order('dig', { cell: 1 })
  await world.advance(3_000)
  expect([match.seat, seatOf(world, match), seats]).toEqual([1, 1, [1]])
  expect(order.end?.result).toBe('executed')
  world.expectInSync()
  world.close()
}

const kinds = ['stream', 'datagram'] as const

/** From before the state is agreed on until after it is loaded, in ms from when somebody waits. */
const moments = [0, 30, 60, 100, 300, 500, 700, 800, 900, 1_000, 1_200]

const cases = moments.map((ms, index) => [ms, kinds[index % 2] as 'stream'] as const)

describe('RJN-12 a seat changes hands while a state is on its way', () => {
  test.each(cases)('from who is resynced, after %s ms over a %s', async (ms, kind) => {
    const { world, ada, bob } = await handedOver(kind)
    const seats = heardBy(bob)
    injectDesync(bob.simulation, 'cells.height[77]')
    await world.advanceUntil(() => bob.status === 'resyncing')
    const orders = [bob.order('dig', { cell: 5 })]
    await world.advance(ms)
    ada.act({ type: 'reclaim-seat' })
    if (bob.seat === 1) orders.push(bob.order('dig', { cell: 6 }))
    await expectLost(world, bob, seats)
    const ends = orders.map(({ end }) => end?.result)
    expect(ends).not.toContain(undefined)
    expect(ada.seat).toBe(1)
  })

  test.each(kinds)('it is told at once, not with the state, over a %s', async (kind) => {
    const { world, ada, bob } = await handedOver(kind, { spectatorDelayMs: 20_000 })
    const seats = heardBy(bob)
    injectDesync(bob.simulation, 'cells.height[77]')
    await world.advanceUntil(() => bob.status === 'resyncing')
    ada.act({ type: 'reclaim-seat' })
    await world.advance(500)
    expect([bob.status, bob.seat, seats]).toEqual(['resyncing', undefined, [undefined]])
    await expectLost(world, bob, seats)
  })

  test.each(kinds)('and it cannot be given back meanwhile, over a %s', async (kind) => {
    const { world, ada, bob } = await handedOver(kind)
    const seats = heardBy(bob)
    injectDesync(bob.simulation, 'cells.height[77]')
    await world.advanceUntil(() => bob.status === 'resyncing')
    ada.act({ type: 'reclaim-seat' })
    await world.advance(200)
    // Who waits for a state cannot be given a seat, and has this one no more.
    ada.act({ type: 'hand-over', seat: 1, member: bob.member as number })
    await expectLost(world, bob, seats)
  })

  test.each(cases)('from who reloaded the page, after %s ms over a %s', async (ms, kind) => {
    const { world, ada } = await handedOver(kind)
    const bob = await reload(world, 3)
    expect(bob.playState().name).not.toBe('active')
    const seats = heardBy(bob)
    await world.advance(ms)
    ada.act({ type: 'reclaim-seat' })
    await expectLost(world, bob, seats)
  })

  test.each([0, 100, 400, 1_000])('from who was away, %s ms after it is back', async (ms) => {
    const { world, ada, bob } = await handedOver('stream')
    const seats = heardBy(bob)
    world.lines[3]?.set({ isCut: true })
    world.lines[3]?.breakConnections()
    await world.advance(40_000)
    world.lines[3]?.reset()
    await world.advanceUntil(() => bob.status !== 'reconnecting')
    await world.advance(ms)
    ada.act({ type: 'reclaim-seat' })
    await expectLost(world, bob, seats)
  })

  test('from who waits and has no link at that moment', async () => {
    const { world, ada, bob } = await handedOver('stream')
    const seats = heardBy(bob)
    injectDesync(bob.simulation, 'cells.height[77]')
    await world.advanceUntil(() => bob.status === 'resyncing')
    world.lines[3]?.set({ isCut: true })
    world.lines[3]?.breakConnections()
    ada.act({ type: 'reclaim-seat' })
    await world.advance(1_000)
    world.lines[3]?.reset()
    await expectLost(world, bob, seats)
  })

  test.each(cases)('to who reloaded the page, after %s ms over a %s', async (ms, kind) => {
    const { world, bob } = await handedOver(kind)
    const ada = await reload(world, 1)
    expect([ada.playState().name === 'active', ada.seat]).toEqual([false, undefined])
    const seats = heardBy(ada)
    await world.advance(ms)
    bob.close()
    await expectGained(world, ada, seats)
  })

  test('to who waits, and orders at once what runs in the tick of the change', async () => {
    const { world, bob } = await handedOver('stream')
    const ada = await reload(world, 1)
    const seats = heardBy(ada)
    bob.close()
    await world.advanceUntil(() => ada.seat === 1)
    expect(ada.playState().name).not.toBe('active')
    const early = ada.order('dig', { cell: 2 })
    await expectGained(world, ada, seats)
    expect(early.end?.result).toBe('executed')
  })
})
