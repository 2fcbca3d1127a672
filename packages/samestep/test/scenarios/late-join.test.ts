import { describe, expect, test } from 'vitest'
import { playTogether } from '../../src/driver/together/index.ts'
import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import { bool, i32, range, u16 } from '../../src/sim/schema/index.ts'
import { single } from '../../src/sim/state/single.ts'
import { table } from '../../src/sim/state/table.ts'

/** Every tick, order, input and random number leaves a trace in a state of some chunks. */
const field = defineGame({
  id: 'field',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 4 },
  state: {
    cells: table(4_000, { height: i32, owner: u16 }),
    sum: single({ ticks: i32, moved: i32 }),
  },
  input: { dx: range(-1, 1).default(0), fire: bool.oneShot() },
  orders: { dig: { cell: u16 } },
  setup({ state }) {
    for (let row = 0; row < 4_000; row++) state.cells.add()
  },
  apply({ state, seat, order }) {
    state.cells.height[order.data.cell % 4_000]! += seat + 1
  },
  step({ state, inputs, random }) {
    state.sum.ticks += 1
    state.cells.height[random.below(4_000)]! += 1
    for (const { dx, fire } of inputs) state.sum.moved += dx + (fire ? 100 : 0)
  },
})

const openField = { seats: 4, lobby: { start: 'by-owner', countdownMs: 0 } } as const

/** Some players in a match that has run for a while. */
async function begun(players: number, ms: number, more: object = {}) {
  const world = await playTogether(field, { players, ...openField, ...more })
  world.matches[0]?.act({ type: 'start' })
  await world.advanceUntil(() =>
    world.matches.every((match) => match.playState().name === 'active'),
  )
  world.matches[0]?.input({ dx: 1 })
  await world.advance(ms)
  return world
}

describe('somebody comes to a match that runs', () => {
  test.each(['stream', 'datagram'] as const)('as a player, over a %s', async (kind) => {
    const world = await begun(2, 60_000, { kind })
    const late = await world.join()
    await world.advanceUntil(() => late.playState().name === 'active')
    expect(late.simulation.tick).toBeGreaterThan(1_700)
    const order = late.order('dig', { cell: 7 })
    late.input({ dx: -1, fire: true })
    await world.advance(2_000)
    expect(order.end?.result).toBe('executed')
    world.expectInSync()
    world.close()
  })

  test('as a spectator', async () => {
    const world = await begun(2, 60_000)
    const watcher = await world.join({ role: 'spectator' })
    await world.advanceUntil(() => watcher.playState().name === 'active')
    await world.advance(2_000)
    world.expectInSync()
    world.close()
  })

  test('where one player is alone', async () => {
    const world = await begun(1, 60_000)
    const late = await world.join()
    await world.advanceUntil(() => late.playState().name === 'active')
    await world.advance(2_000)
    world.expectInSync()
    world.close()
  })

  test('over a bad line', async () => {
    const world = await begun(2, 40_000, { kind: 'datagram' })
    const conditions = { latencyMs: 120, jitterMs: 40, loss: 0.05 }
    const late = await world.join({ conditions })
    await world.advanceUntil(() => late.playState().name === 'active', 30_000)
    await world.advance(3_000)
    world.expectInSync()
    world.close()
  })

  test('in a pause, which goes on', async () => {
    const world = await begun(2, 40_000)
    world.matches[0]?.act({ type: 'pause' })
    await world.advance(2_000)
    const late = await world.join()
    await world.advanceUntil(() => late.simulation.tick > 1_000)
    await world.advance(1_000)
    expect(late.simulation.isPaused).toBe(true)
    world.expectInSync()
    world.close()
  })

  test('and the others notice nothing: their ticks come as before', async () => {
    const world = await begun(2, 40_000)
    const [first] = world.matches
    const before = first?.simulation.tick as number
    await world.join()
    await world.advance(3_000)
    const ranMs = ((first?.simulation.tick as number) - before) * (1_000 / 30)
    expect(first?.playState().name).toBe('active')
    expect(ranMs).toBeGreaterThan(2_950)
    world.close()
  })

  test('it hears how far it is, in bytes', async () => {
    const world = await begun(2, 40_000)
    const late = await world.join({ conditions: { latencyMs: 50, bytesPerSecond: 40_000 } })
    const seen = new Set<string>()
    let most = 0
    await world.advanceUntil(() => {
      const state = late.playState()
      seen.add(state.name)
      if (state.name === 'downloading') most = Math.max(most, state.bytes / (state.bytesTotal || 1))
      return state.name === 'active'
    }, 60_000)
    expect([...seen]).toEqual(expect.arrayContaining(['downloading', 'active']))
    expect(most).toBeGreaterThan(0.4)
    world.close()
  })
})

describe('a page is loaded again in the middle of a match', () => {
  test.each([1, 3])('with %i players: the seat is the same, and play goes on', async (players) => {
    const world = await begun(players, 60_000)
    const { seat } = world.matches[0]!
    const back = await world.reload(0)
    await world.advanceUntil(() => back.playState().name === 'active', 30_000)
    expect(back.seat).toBe(seat)
    expect(back.simulation.tick).toBeGreaterThan(1_500)
    const order = back.order('dig', { cell: 3 })
    await world.advance(2_000)
    expect(order.end?.result).toBe('executed')
    world.expectInSync()
    world.close()
  })

  test('by all players at once: nothing is lost as long as one of them came first', async () => {
    const world = await begun(2, 60_000)
    const first = await world.reload(0)
    await world.advanceUntil(() => first.playState().name === 'active', 30_000)
    const second = await world.reload(1)
    await world.advanceUntil(() => second.playState().name === 'active', 30_000)
    await world.advance(2_000)
    world.expectInSync()
    world.close()
  })

  test('again and again', async () => {
    const world = await begun(2, 30_000)
    for (let round = 0; round < 4; round++) {
      const back = await world.reload(1)
      await world.advanceUntil(() => back.playState().name === 'active', 30_000)
      await world.advance(1_000)
    }
    world.expectInSync()
    world.close()
  })

  test('in its first seconds: it is run from the beginning', async () => {
    const world = await begun(2, 2_000)
    const back = await world.reload(0)
    await world.advanceUntil(() => back.playState().name === 'active')
    await world.advance(1_000)
    world.expectInSync()
    world.close()
  })
})

describe('what goes wrong on the way', () => {
  test('the line of whoever comes breaks in the middle: it goes on where it was', async () => {
    const world = await begun(2, 40_000)
    const late = await world.join({ conditions: { latencyMs: 50, bytesPerSecond: 40_000 } })
    await world.advanceUntil(() => {
      const state = late.playState()
      return state.name === 'downloading' && state.bytes > 0
    })
    world.lines[2]?.breakConnections()
    await world.advanceUntil(() => late.playState().name === 'active', 60_000)
    await world.advance(2_000)
    world.expectInSync()
    world.close()
  })

  test('whoever gives the state leaves: another one gives it', async () => {
    const world = await begun(3, 40_000, { conditions: { latencyMs: 40, bytesPerSecond: 60_000 } })
    const late = await world.join()
    await world.advance(1_200)
    world.matches[0]?.close()
    await world.advanceUntil(() => late.playState().name === 'active', 60_000)
    await world.advance(3_000)
    world.expectInSync()
    world.close()
  })
})
