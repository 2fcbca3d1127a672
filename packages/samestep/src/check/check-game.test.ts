import { describe, expect, test } from 'vitest'
import { UsageError } from '../base/errors.ts'
import { derived } from '../sim/game/derived/derived.ts'
import { checkGame } from './check-game.ts'
import type { CheckProgress } from './check-options.ts'
import { makeCounters } from './testing/counters.ts'

/** What the rules of these tests get. */
// biome-ignore lint/suspicious/noExplicitAny: they write what they should not.
type Loose = any

const sound = makeCounters()

describe('a sound game', () => {
  test('passes, and every kind of order was carried out', () => {
    const result = checkGame(sound, { ticks: 1_200, seed: 3 })
    expect(result.failure?.text).toBeUndefined()
    expect(result).toMatchObject({ ok: true, ticks: 1_200, matches: 2, seats: 4, warnings: [] })
    expect(result.orders.move?.executed).toBeGreaterThan(20)
    expect(result.orders.spawn?.executed).toBeGreaterThan(20)
    expect(result.orders.nonsense?.executed ?? 0).toBe(0)
  })

  test('is played in the same way for the same seed, and in another for another', () => {
    const play = (seed: number) => {
      const hashes: number[] = []
      checkGame(sound, {
        ticks: 80,
        seed,
        onMatch: (match) => hashes.push(...match.hashes),
      })
      return hashes
    }
    expect(play(5)).toEqual(play(5))
    expect(play(5)).not.toEqual(play(6))
  })

  test('may fill its tables and throw what that throws only when they are really full', () => {
    const rules = {
      step({ state }: Loose) {
        if (state.units.count < 10) state.units.add()
      },
    }
    expect(checkGame(makeCounters(rules), { ticks: 450 }).ok).toBe(true)
  })

  test('is told to be careful with what it asks of its machine', () => {
    const rules = {
      step({ state, tick }: Loose) {
        if (tick % 10 === 0) state.board.moves += Math.floor(Math.sin(1) * 3)
      },
    }
    const { ok, warnings } = checkGame(makeCounters(rules), { ticks: 60 })
    expect(ok).toBe(true)
    expect(warnings).toMatchObject([{ factor: 'math', name: 'Math.sin', tick: 10 }])
    expect(warnings[0]?.site?.file).toMatch(/check-game\.test\.ts$/)
  })
})

describe('a broken game', () => {
  test('that throws is found, with the error and its line', () => {
    const rules = {
      step({ orders }: Loose) {
        for (const { type } of orders) if (type === 'spawn') throw new RangeError('no room')
      },
    }
    const { failure } = checkGame(makeCounters(rules), { ticks: 600 })
    expect(failure).toMatchObject({ check: 'throws', system: 'step', cause: { id: 'game-throws' } })
    expect(failure?.cause.evidence).toBe('RangeError: no room')
    expect(failure?.site?.file).toMatch(/check-game\.test\.ts$/)
    expect(failure?.reproduction.items).toHaveLength(1)
    expect(failure?.reproduction.items[0]).toMatchObject({ order: 'spawn' })
  })

  test('that is async is told so', () => {
    const rules = { step: async () => {} }
    expect(checkGame(makeCounters(rules as never), { ticks: 5 }).failure?.cause.id).toBe(
      'async-step',
    )
  })

  test('that fills a table by itself is told so', () => {
    const rules = { step: ({ state }: Loose) => state.units.add() }
    const { failure } = checkGame(makeCounters(rules), { ticks: 100 })
    expect(failure?.cause.id).toBe('table-full')
    expect(failure?.tick).toBe(17)
  })

  test('whose variables outlive the match is found, and the system named', () => {
    let calls = 0
    const rules = {
      step: undefined,
      systems: [
        { name: 'first', run: () => {} },
        {
          name: 'second',
          run({ state }: Loose) {
            calls += 1
            state.board.moves = calls % 1_000
          },
        },
      ],
    }
    const { failure } = checkGame(makeCounters(rules as never), { ticks: 100 })
    expect(failure).toMatchObject({
      check: 'twin',
      tick: 1,
      system: 'second',
      place: { part: 'board', row: 0, field: 'moves' },
      cause: { id: 'module-state' },
    })
  })

  test('whose computing of derived data writes is found', () => {
    const rules = {
      derived: {
        sum: derived((state: Loose) => {
          state.board.spawns += 1
          return 0
        }),
      },
    }
    const only = ['derived'] as const
    const { failure } = checkGame(makeCounters(rules), { ticks: 50, only })
    expect(failure?.cause.id).toBe('impure-derived')
  })

  test('that allocates more than it says it does is found', () => {
    let heap = 0
    const rules = {
      step() {
        heap += 5_000
      },
    }
    const heapBytes = () => heap
    const check = (allocationBytesMax: number) =>
      checkGame(makeCounters(rules), {
        ticks: 400,
        heapBytes,
        allocationBytesMax,
        only: ['allocation'],
      })
    expect(check(5_000)).toMatchObject({ ok: true, allocationBytes: 5_000 })
    expect(check(4_999).failure).toMatchObject({ check: 'allocation', cause: { id: 'allocation' } })
  })

  test('is left alone where its check is skipped', () => {
    const rules = {
      step({ state }: Loose) {
        state.board.moves = Math.floor(Math.random() * 100)
      },
    }
    const game = makeCounters(rules)
    expect(checkGame(game, { ticks: 50 }).ok).toBe(false)
    expect(checkGame(game, { ticks: 50, skip: ['twin', 'machine'] }).ok).toBe(true)
    expect(checkGame(game, { ticks: 50, only: ['reload', 'later'] }).ok).toBe(true)
  })
})

describe('what a check is told', () => {
  test('orders that a game suggests are issued', () => {
    const seen = new Set<number>()
    const { orders } = checkGame(sound, {
      ticks: 400,
      explore: ({ seat, random, state }) => {
        seen.add(seat)
        expect(() => {
          state.board.moves = 1
        }).not.toThrow('nothing')
        return random.below(2) === 0 ? { type: 'spawn', data: { x: 7 } } : { input: { fire: true } }
      },
      only: ['canonical'],
    })
    expect(seen.size).toBe(4)
    expect(orders.spawn?.issued).toBeGreaterThan(orders.move?.issued ?? 0)
  })

  test('a suggestion that is no order is refused at once', () => {
    const explore = () => ({ type: 'fly', data: {} })
    expect(() => checkGame(sound, { ticks: 400, explore })).toThrow(UsageError)
  })

  test('progress is told, and what becomes of a failure too', () => {
    const stages: CheckProgress['stage'][] = []
    const rules = {
      step({ orders }: Loose) {
        if (orders.length > 1) throw new Error('too many')
      },
    }
    checkGame(makeCounters(rules), { ticks: 900, onProgress: ({ stage }) => stages.push(stage) })
    expect(stages[0]).toBe('checking')
    expect(stages.at(-1)).toBe('diagnosing')
    expect(stages).toContain('shrinking')
  })

  test.each([
    [{ ticks: 0 }, '0 ticks'],
    [{ seats: 5 }, '5 seats'],
    [{ seed: -1 }, 'seed -1'],
    [{ only: ['speed'] }, "a check 'speed'"],
  ])('options %j are refused', (options, words) => {
    expect(() => checkGame(sound, options as never)).toThrow(words)
  })
})
