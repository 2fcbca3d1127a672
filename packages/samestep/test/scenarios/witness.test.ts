import { describe, expect, test } from 'vitest'
import { playTogether } from '../../src/driver/together/index.ts'
import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import { i32, range } from '../../src/sim/schema/index.ts'
import { table } from '../../src/sim/state/table.ts'

const field = defineGame({
  id: 'field',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 4 },
  state: { cells: table(2_000, { height: i32 }) },
  input: { dx: range(-1, 1).default(0) },
  orders: {},
  setup({ state }) {
    for (let row = 0; row < 2_000; row++) state.cells.add()
  },
  step({ state, random }) {
    state.cells.height[random.below(2_000)]! += 1
  },
})

async function begun(players: number, ms: number, more: object = {}) {
  const lobby = { start: 'by-owner', countdownMs: 0, spectatorDelayMs: 30_000 } as const
  const world = await playTogether(field, {
    players,
    seats: 4,
    lobby,
    // States are spoiled from outside, which is an error in development.
    development: false,
    ...more,
  })
  world.matches[0]?.act({ type: 'start' })
  await world.advanceUntil(() =>
    world.matches.every((match) => match.playState().name === 'active'),
  )
  await world.advance(ms)
  return world
}

type World = Awaited<ReturnType<typeof begun>>

/** Makes the state of one player another one. */
function spoil(world: World, player: number): void {
  const { cells } = (world.matches[player] as World['matches'][number]).simulation.state
  cells.height[5]! += 1_000
}

describe('a witness', () => {
  test('runs a match at once, also one that spectators see later, and has no say in it', async () => {
    const world = await begun(2, 30_000)
    const witness = await world.join({ role: 'witness', name: 'eve' })
    await world.advanceUntil(() => witness.playState().name === 'active')
    await world.advance(2_000)
    const behind = (world.matches[0]?.simulation.tick as number) - witness.simulation.tick
    expect(behind).toBeLessThan(10)
    expect(witness.seat).toBeUndefined()
    expect(witness.room?.members.at(-1)).toMatchObject({ role: 'witness', name: 'eve' })
    const denied: string[] = []
    witness.on('denied', ({ action, reason }) => denied.push(`${action} ${reason}`))
    witness.act({ type: 'say', scope: 'all', text: 'look left' })
    witness.act({ type: 'pause' })
    await world.advance(500)
    expect(denied).toEqual(['say not-player', 'pause not-player'])
    world.expectInSync()
    world.close()
  })

  test('gives the state back when all players load their pages again at once', async () => {
    const world = await begun(2, 30_000)
    const witness = await world.join({ role: 'witness' })
    await world.advanceUntil(() => witness.playState().name === 'active')
    world.lines[0]?.breakConnections()
    world.lines[1]?.breakConnections()
    const first = await world.reload(0)
    const second = await world.reload(1)
    const isBack = () => [first, second].every((match) => match.playState().name === 'active')
    await world.advanceUntil(isBack, 30_000)
    await world.advance(2_000)
    expect(first.simulation.tick).toBeGreaterThan(900)
    world.expectInSync()
    world.close()
  })

  test('decides what the state is where two players disagree, if the match wants it', async () => {
    const world = await begun(2, 30_000, { referee: 'witness' })
    const witness = await world.join({ role: 'witness' })
    await world.advanceUntil(() => witness.playState().name === 'active')
    spoil(world, 1)
    // Until the state of before is forgotten, which everybody agreed on.
    await world.advance(25_000)
    const late = await world.join({ name: 'late' })
    await world.advanceUntil(() => late.playState().name === 'active', 20_000)
    await world.advance(1_000)
    const height = (match: World['matches'][number] | undefined) =>
      match?.simulation.state.cells.height[5]
    expect(height(late)).toBe(height(world.matches[0]))
    expect(height(late)).toBe(height(witness))
    expect(height(late)).not.toBe(height(world.matches[1]))
    world.close()
  })

  test('[T-60] counts for nothing otherwise: two players who disagree have no state to give', async () => {
    const world = await begun(2, 30_000)
    const witness = await world.join({ role: 'witness' })
    await world.advanceUntil(() => witness.playState().name === 'active')
    spoil(world, 1)
    // Until the state of before is forgotten, which everybody agreed on.
    await world.advance(25_000)
    const late = await world.join({ name: 'late' })
    await world.advanceUntil(() => late.status === 'closed', 30_000)
    expect(late.playState()).toMatchObject({ name: 'closed', reason: 'no-state' })
    world.close()
  })
})
