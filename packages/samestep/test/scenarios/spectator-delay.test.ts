import { describe, expect, test, vi } from 'vitest'
import { injectDesync } from '../../src/desync/inject.ts'
import { playTogether } from '../../src/driver/together/index.ts'
import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import { i32, range, u16 } from '../../src/sim/schema/index.ts'
import { single } from '../../src/sim/state/single.ts'
import { table } from '../../src/sim/state/table.ts'

const arena = defineGame({
  id: 'arena',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 4 },
  state: { cells: table(2_000, { height: i32 }), sum: single({ moved: i32 }) },
  input: { dx: range(-1, 1).default(0) },
  orders: { dig: { cell: u16 } },
  setup({ state }) {
    for (let row = 0; row < 2_000; row++) state.cells.add()
  },
  apply({ state, seat, order }) {
    state.cells.height[order.data.cell % 2_000]! += seat + 1
  },
  step({ state, inputs, random }) {
    state.cells.height[random.below(2_000)]! += 1
    for (const { dx } of inputs) state.sum.moved += dx
  },
})

const delayMs = 20_000

/** Ticks that a delay is at the least, with what it may take on top of it: sending, and smoothness. */
const delayTicks = (delayMs * 30) / 1_000
const slackTicks = 15

async function begun(players: number, ms: number, more: object = {}) {
  const lobby = { start: 'by-owner', countdownMs: 0, spectatorDelayMs: delayMs } as const
  const world = await playTogether(arena, { players, seats: 4, lobby, ...more })
  world.matches[0]?.act({ type: 'start' })
  await world.advanceUntil(() =>
    world.matches.every((match) => match.playState().name === 'active'),
  )
  world.matches[0]?.input({ dx: 1 })
  await world.advance(ms)
  return world
}

type World = Awaited<ReturnType<typeof begun>>

/** How far a spectator is behind the first player. */
function behind(world: World, watcher: World['matches'][number]): number {
  return (world.matches[0]?.simulation.tick as number) - watcher.simulation.tick
}

/** A spectator who was given a seat plays, differs, and gives up its state for that of the others. */
async function resyncing(kind: 'stream' | 'datagram') {
  const world = await begun(3, 0, { kind, desync: 'resync', development: false })
  const watcher = await world.join({ role: 'spectator' })
  await world.advance(delayMs + 5_000)
  const ada = world.matches[1] as World['matches'][number]
  ada.act({ type: 'hand-over', seat: 1, member: watcher.member as number })
  await world.advance(2_000)
  expect(watcher.seat).toBe(1)
  injectDesync(watcher.simulation, 'cells.height[77]')
  await world.advanceUntil(() => watcher.status === 'resyncing')
  return { world, watcher, ada }
}

describe('spectators see a match later than it happens', () => {
  test.each(['stream', 'datagram'] as const)('[RJN-10] from its start, over a %s', async (kind) => {
    const world = await begun(2, 0, { kind })
    const watcher = await world.join({ role: 'spectator' })
    let least = Number.POSITIVE_INFINITY
    for (let second = 0; second < 40; second++) {
      await world.advance(1_000)
      if (watcher.status === 'active' && watcher.simulation.tick > 0) {
        least = Math.min(least, behind(world, watcher))
      }
    }
    expect(watcher.simulation.tick).toBeGreaterThan(500)
    expect(least).toBeGreaterThanOrEqual(delayTicks)
    expect(behind(world, watcher)).toBeLessThan(delayTicks + slackTicks)
    expect(watcher.playState().name).toBe('active')
    world.expectInSync()
    world.close()
  })

  test('a state is held until it is old enough', async () => {
    const world = await begun(2, 60_000)
    const watcher = await world.join({ role: 'spectator' })
    await world.advance(delayMs - 1_000)
    expect(watcher.playState().name).toBe('authorised')
    await world.advanceUntil(() => watcher.playState().name === 'active')
    await world.advance(2_000)
    expect(behind(world, watcher)).toBeGreaterThanOrEqual(delayTicks)
    expect(behind(world, watcher)).toBeLessThan(delayTicks + slackTicks)
    world.expectInSync()
    world.close()
  })

  test('while somebody watches, the next one need not wait', async () => {
    const world = await begun(2, 60_000)
    await world.join({ role: 'spectator' })
    await world.advance(delayMs + 15_000)
    const second = await world.join({ role: 'spectator' })
    await world.advanceUntil(() => second.playState().name === 'active', 4_000)
    await world.advance(2_000)
    expect(behind(world, second)).toBeGreaterThanOrEqual(delayTicks)
    world.expectInSync()
    world.close()
  })

  test('who loads the page again sees no more than before', async () => {
    const world = await begun(2, 30_000)
    const watcher = await world.join({ role: 'spectator' })
    await world.advanceUntil(() => watcher.playState().name === 'active', 60_000)
    const back = await world.reload(2)
    await world.advanceUntil(() => back.playState().name === 'active', delayMs + 10_000)
    await world.advance(2_000)
    expect(behind(world, back)).toBeGreaterThanOrEqual(delayTicks)
    world.expectInSync()
    world.close()
  })

  test.each(['stream', 'datagram'] as const)(
    'who loses a seat while it waits for a state gets one that is old enough, over a %s',
    async (kind) => {
      const warn = vi.spyOn(console, 'warn').mockReturnValue()
      const { world, watcher, ada } = await resyncing(kind)
      const lastTick = watcher.simulation.tick
      const closed: string[] = []
      watcher.on('closed', ({ reason, message }) => closed.push(`${reason}: ${message}`))
      ada.act({ type: 'reclaim-seat' })
      await world.advance(delayMs - 5_000)
      expect([watcher.status, closed]).toEqual(['resyncing', []])
      await world.advanceUntil(() => watcher.status === 'active')
      expect(watcher.simulation.tick).toBeGreaterThan(lastTick)
      expect(behind(world, watcher)).toBeGreaterThanOrEqual(delayTicks)
      await world.advance(2_000)
      expect(behind(world, watcher)).toBeLessThan(delayTicks + slackTicks)
      expect([closed, ada.seat, watcher.seat]).toEqual([[], 1, undefined])
      world.expectInSync()
      world.close()
      warn.mockRestore()
    },
  )

  test('what players say arrives with what they do; spectators hear each other at once', async () => {
    const world = await begun(2, 1_000)
    const watcher = await world.join({ role: 'spectator' })
    const other = await world.join({ role: 'spectator' })
    const heard: string[] = []
    watcher.on('said', ({ text }) => heard.push(text))
    world.matches[0]?.act({ type: 'say', scope: 'all', text: 'he hides on the left' })
    other.act({ type: 'say', scope: 'spectators', text: 'hello' })
    await world.advance(1_000)
    expect(heard).toEqual(['hello'])
    await world.advance(delayMs)
    expect(heard).toEqual(['hello', 'he hides on the left'])
    world.close()
  })

  test('the end is seen by those who watch it later', async () => {
    const world = await begun(1, 5_000)
    const watcher = await world.join({ role: 'spectator' })
    await world.advance(25_000)
    const lastTick = world.matches[0]?.simulation.tick as number
    world.matches[0]?.close()
    await world.advance(delayMs - 1_000)
    expect(watcher.status).toBe('active')
    await world.advanceUntil(() => watcher.status === 'closed')
    expect(watcher.simulation.tick).toBeGreaterThanOrEqual(lastTick)
    world.close()
  })

  test('players who come late are not delayed', async () => {
    const world = await begun(2, 30_000)
    const late = await world.join()
    await world.advanceUntil(() => late.playState().name === 'active')
    await world.advance(1_000)
    expect(behind(world, late)).toBeLessThan(slackTicks)
    world.expectInSync()
    world.close()
  })
})
