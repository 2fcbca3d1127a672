import { describe, expect, test } from 'vitest'
import { ledger } from '../testing/driver-world.ts'
import { playTogether } from './play-together.ts'

type World = Awaited<ReturnType<typeof start>>

async function start(players = 3, conditions = {}, kind: 'stream' | 'datagram' = 'stream') {
  const world = await playTogether(ledger, { players, conditions, kind })
  await world.advance(2_000)
  return world
}

const tickOf = (world: World, player: number) => world.matches[player]!.simulation.matchTick
const isBack = (world: World) => world.matches.every((match) => match.playState().name === 'active')

/** Until everybody has played on for a while. */
async function playOn(world: World, ms = 2_000): Promise<void> {
  const before = Math.max(...world.matches.map((_, player) => tickOf(world, player)))
  await world.advanceUntil(
    () => world.matches.every((_, player) => tickOf(world, player) > before + 20),
    20_000,
  )
  await world.advance(ms)
  expect(isBack(world)).toBe(true)
  world.expectInSync()
}

describe('[F-16] the loss of a relay without a journal', () => {
  test('is survived: same seats, same history, and play goes on within 5 s', async () => {
    const world = await start()
    const seats = world.matches.map(({ seat }) => seat)
    const before = tickOf(world, 0)
    world.loseRelay()
    await world.advanceUntil(
      () => world.matches.every((_, player) => tickOf(world, player) > before + 5),
      5_000,
    )
    await playOn(world)
    expect(world.matches.map(({ seat }) => seat)).toEqual(seats)
    world.close()
  })

  test('[I-04] settles every order, and runs none twice', async () => {
    const world = await start(3, { latencyMs: 30 })
    const ends: Promise<{ readonly result: string }>[] = []
    let number = 0
    for (let round = 0; round < 4; round++) {
      for (let count = 0; count < 5; count++) {
        ends.push(world.matches[0]!.order('mark', { number: number++ }).settled)
        await world.advance(37)
      }
      world.loseRelay()
      ends.push(world.matches[0]!.order('mark', { number: number++ }).settled)
      await playOn(world, 1_000)
    }
    const results = (await Promise.all(ends)).map(({ result }) => result)
    const { copies } = world.matches[1]!.simulation.state.seats
    expect(copies[0]).toBe(0)
    expect(results.filter((result) => result !== 'executed' && result !== 'lost')).toEqual([])
    expect(results.filter((result) => result === 'executed').length).toBeGreaterThan(15)
    world.close()
  })

  test('lets a player who had run further go back by itself', async () => {
    const world = await start(3, { latencyMs: 10 })
    // Two of three are cut off for a moment: what the third one runs meanwhile is in no majority.
    for (const player of [1, 2]) world.lines[player]?.set({ latencyMs: 600 })
    await world.advance(400)
    const ahead = tickOf(world, 0)
    expect(ahead).toBeGreaterThan(tickOf(world, 1) + 4)
    world.loseRelay()
    for (const player of [1, 2]) world.lines[player]?.set({ latencyMs: 10 })
    await playOn(world)
    world.close()
  })

  test('is survived again and again', async () => {
    const world = await start(4, { latencyMs: 20, jitterMs: 5 })
    for (let round = 0; round < 5; round++) {
      world.loseRelay()
      await playOn(world, 200 + 331 * round)
    }
    world.close()
  })

  test('[T-98] of a match of two one goes on alone; of three nobody does', async () => {
    for (const [players, isGoing] of [
      [2, true],
      [3, false],
    ] as const) {
      const world = await start(players)
      const before = tickOf(world, 0)
      for (let player = 1; player < players; player++) world.lines[player]?.set({ loss: 1 })
      for (let player = 1; player < players; player++) world.matches[player]?.close()
      world.loseRelay()
      await world.advance(20_000)
      expect(tickOf(world, 0) > before + 20).toBe(isGoing)
      world.close()
    }
  })
})
