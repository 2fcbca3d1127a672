import { expect, test } from 'vitest'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import type { OrderHandle } from '../match/match.ts'
import { JoinError } from '../online/join-error.ts'
import { ledger } from '../testing/driver-world.ts'
import { single, u32 } from '../testing/kit.ts'
import { OutOfSyncError } from './in-sync.ts'
import { playTogether } from './play-together.ts'

test('players take their seats in turn, and everybody sees what one of them orders', async () => {
  const world = await playTogether(ledger, { players: 3, seed: 1 })
  expect(world.matches.map(({ seat }) => seat)).toEqual([0, 1, 2])
  const handle = world.matches[1]!.order('mark', { number: 0 })
  world.matches[2]!.input({ right: true })
  await world.advance(2_000)
  expect(handle.end).toMatchObject({ result: 'executed' })
  for (const { simulation } of world.matches) {
    expect(simulation.tick).toBeGreaterThan(35)
    expect(simulation.state.seats.due[1]).toBe(1)
    expect(simulation.state.seats.held[2]).toBeGreaterThan(20)
  }
  world.expectInSync()
  world.close()
})

test.each(['stream', 'datagram'] as const)(
  'a bad %s costs time, and never the sync',
  async (kind) => {
    const conditions = { latencyMs: 60, jitterMs: 20, loss: 0.05 }
    const world = await playTogether(ledger, { players: 3, seed: 7, kind, conditions })
    const handles: OrderHandle[] = []
    for (let number = 0; number < 20; number++) {
      for (const match of world.matches) handles.push(match.order('mark', { number }))
      if (number === 10) world.lines[1]!.breakConnections()
      await world.advance(300)
    }
    await world.advanceUntil(() => handles.every(({ end }) => end !== undefined))
    await world.advance(2_000)
    expect(new Set(handles.map(({ end }) => end?.result))).toEqual(new Set(['executed']))
    const { due } = world.matches[0]!.simulation.state.seats
    expect([0, 1, 2].map((seat) => due[seat])).toEqual([20, 20, 20])
    expect(world.lines[1]!.stats.sent).toBeGreaterThan(0)
    world.expectInSync()
    world.close()
  },
)

test('the same seed and the same calls give the same match', async () => {
  const play = async (seed: number) => {
    const world = await playTogether(ledger, { seed, conditions: { jitterMs: 30 } })
    for (let number = 0; number < 5; number++) {
      world.matches[number % 2]!.order('mark', { number: Math.floor(number / 2) })
      await world.advance(130)
    }
    await world.advance(1_000)
    const { simulation } = world.matches[0]!
    world.close()
    return [simulation.tick, simulation.matchId, simulation.syncHash()]
  }
  expect(await play(3)).toEqual(await play(3))
  expect((await play(3))[1]).not.toEqual((await play(4))[1])
})

/** Its step counts how often it was called at all, which no state knows. */
function makeForgetful() {
  let calls = 0
  return defineGame({
    id: 'forgetful',
    version: 1,
    tickRate: 20,
    seats: { min: 1, max: 4 },
    state: { all: single({ sum: u32 }) },
    orders: { add: {} },
    setup() {},
    step({ state, orders }) {
      calls += 1
      if (orders.length > 0) state.all.sum += calls
    },
  })
}

test('players who part are told with the tick, the players and the cell', async () => {
  const world = await playTogether(makeForgetful(), { guard: false })
  await world.advance(1_000)
  world.expectInSync()
  const handle = world.matches[0]!.order('add', {})
  await world.advanceUntil(() => handle.end !== undefined)
  await world.advance(500)
  const tick = handle.end?.result === 'executed' ? handle.end.tick : -1
  let caught: unknown
  try {
    world.expectInSync()
  } catch (error) {
    caught = error
  }
  expect(caught).toBeInstanceOf(OutOfSyncError)
  expect(caught).toMatchObject({ tick, players: [0, 1] })
  expect((caught as Error).message).toMatch(
    new RegExp(
      `^Players 0 and 1 are out of sync since tick ${tick}: all\\[0\\]\\.sum is \\d+ and \\d+$`,
    ),
  )
  world.close()
})

test('a lobby is played as online, and somebody may come later to watch', async () => {
  const lobby = { start: 'when-ready', countdownMs: 500, playersMin: 2 } as const
  const world = await playTogether(ledger, { players: 2, seats: 4, lobby })
  expect(world.matches.map(({ status }) => status)).toEqual(['lobby', 'lobby'])
  world.expectInSync()
  await world.advance(200)
  for (const match of world.matches) {
    const { optionsRevision } = match.room!
    match.act({ type: 'set-ready', isReady: true, optionsRevision })
  }
  await world.advanceUntil(() => world.matches.every(({ cursors }) => cursors.simulatedTick > 5))
  const guest = await world.join({ role: 'spectator', conditions: { latencyMs: 150 } })
  await world.advance(2_000)
  expect([guest.status, guest.seat]).toEqual(['active', undefined])
  expect(guest.simulation.tick).toBeGreaterThan(40)
  world.expectInSync()
  world.close()
})

test('whoever cannot join is told why, and what never happens is given up', async () => {
  await expect(playTogether(ledger, { players: 2, seats: 1 })).rejects.toBeInstanceOf(JoinError)
  await expect(playTogether(ledger, { players: 99 })).rejects.toThrow(/seats/)
  const world = await playTogether(ledger)
  await expect(world.advanceUntil(() => world.nowMs < 0, 100)).rejects.toThrow(
    /Nothing came of it within 100 ms: .*nowMs < 0/,
  )
  world.close()
})
