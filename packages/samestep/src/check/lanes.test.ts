import { describe, expect, test } from 'vitest'
import type { Game } from '../sim/game/definition/define-game.ts'
import { defineGame } from '../sim/game/definition/define-game.ts'
import { u8 } from '../sim/schema/index.ts'
import { single } from '../sim/state/single.ts'
import { checkGame } from './check-game.ts'
import { replayCheck } from './rules/replay-check.ts'
import { makeCounters } from './testing/counters.ts'

/** What the rules of these tests get. */
// biome-ignore lint/suspicious/noExplicitAny: they write what they should not.
type Loose = any

describe('canonical', () => {
  test('a field that reads what it would not write is found', () => {
    // Reads 7 from every odd byte and 0 from every even one, and writes only those two.
    const lax = Object.create(u8, {
      read: { value: (input: Loose) => (u8.read(input) % 2 === 1 ? 7 : 0) },
    }) as typeof u8
    const game = defineGame({
      id: 'lax',
      version: 1,
      seats: { min: 1, max: 4 },
      state: { last: single({ value: u8 }) },
      orders: { say: { value: lax } },
      step() {},
    })
    const { failure } = checkGame(game, { ticks: 300, only: ['canonical'] })
    expect(failure).toMatchObject({ check: 'canonical', cause: { id: 'not-canonical' } })
    expect(failure?.detail).toMatch(/^an order was read from .* and is written as 0[07]$/)
  })
})

describe('full', () => {
  test('a rule that keeps something outside the state once a table is full is found', () => {
    let calls = 0
    const game = makeCounters({
      step({ state }: Loose) {
        const { units, board } = state
        if (units.count < units.rowsMax - 1) return
        calls += 1
        board.moves = calls % 1_000
      },
    })
    const { failure } = checkGame(game, { ticks: 500, seats: 1 })
    expect(failure).toMatchObject({
      check: 'full',
      system: 'step',
      place: { part: 'board', row: 0, field: 'moves' },
    })
    expect(failure?.site?.file).toMatch(/lanes\.test\.ts$/)
    expect(failure?.detail).toContain('units')
  })
})

describe('later', () => {
  test('a cache that is cleared when it is stale is still of another match', () => {
    const cache = new Map<number, number>()
    const game = makeCounters({
      step({ state, tick, orders }: Loose) {
        if (orders.length > 0) cache.clear()
        const key = tick % 5
        if (!cache.has(key)) cache.set(key, tick)
        state.board.moves = cache.get(key)
      },
    })
    const { failure } = checkGame(game, { ticks: 700, only: ['later'] })
    expect(failure).toMatchObject({
      check: 'later',
      place: { part: 'board', field: 'moves' },
      cause: { id: 'module-state' },
    })
    expect(failure?.sides).toEqual(['the first time', 'the second time'])
  })
})

describe('rejoin', () => {
  /** A game whose module remembers the first answer for ever. */
  function loadModule(): Game {
    const cache = new Map<number, number>()
    const game = makeCounters({
      step({ state, tick }: Loose) {
        const key = tick % 300
        if (!cache.has(key)) cache.set(key, state.board.spawns)
        state.board.spawns = (state.board.spawns + 1) % 47
        if (tick > 280) state.board.moves = cache.get(key)
      },
    })
    return game as unknown as Game
  }

  test('a cache that is never cleared takes modules of their own to be found', () => {
    expect(checkGame(loadModule(), { ticks: 800, only: ['rejoin'] }).ok).toBe(true)
    const options = { ticks: 800, only: ['rejoin'], fresh: loadModule() } as const
    const { failure } = checkGame(loadModule(), options)
    expect(failure).toMatchObject({ check: 'rejoin', cause: { id: 'module-state' } })
    // Made small by trying, it would show something only in this process.
    expect(failure?.isReproduced).toBe(false)
    const again = replayCheck(loadModule(), failure?.reproduction, { fresh: loadModule() })
    expect(again?.tick).toBe(failure?.tick)
  })
})

describe('the others', () => {
  test('what a screen throws is found, with its line', () => {
    const draw = (_picture: unknown, seat: number) => {
      if (seat === 2) throw new TypeError('no camera')
    }
    const { failure } = checkGame(makeCounters(), { ticks: 100, draw })
    expect(failure).toMatchObject({ check: 'viewer', system: 'draw', cause: { id: 'game-throws' } })
    expect(failure?.site?.file).toMatch(/lanes\.test\.ts$/)
  })

  test('a screen that only looks is fine', () => {
    let pictures = 0
    const draw = ({ current, alpha, tick }: Loose) => {
      pictures += current.units.count + alpha + tick + Math.random() + Date.now()
    }
    const result = checkGame(makeCounters(), { ticks: 100, draw })
    expect(result).toMatchObject({ ok: true, warnings: [] })
    expect(pictures).toBeGreaterThan(0)
  })
})
