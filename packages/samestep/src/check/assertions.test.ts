import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  assertConverges,
  assertDeterministic,
  assertPure,
  assertReloads,
  CheckError,
  simulate,
} from './assertions.ts'
import { makeCounters } from './testing/counters.ts'

/** What the rules of these tests get. */
// biome-ignore lint/suspicious/noExplicitAny: they write what they should not.
type Loose = any

const sound = makeCounters()
const few = { ticks: 150 }

/** The error that a function throws. */
function thrown(run: () => void): CheckError {
  try {
    run()
  } catch (error) {
    return error as CheckError
  }
  throw new Error('nothing was thrown')
}

describe('assertions', () => {
  test('say nothing about a sound game', () => {
    assertDeterministic(sound, few)
    assertReloads(sound, few)
    assertPure(sound, few)
    assertConverges(sound, few)
  })

  test('assertDeterministic throws for what depends on the machine, with all that is known', () => {
    const game = makeCounters({
      step({ state }: Loose) {
        state.board.moves = new Date().getMilliseconds()
      },
    })
    const error = thrown(() => assertDeterministic(game, few))
    expect(error).toBeInstanceOf(CheckError)
    expect(error.name).toBe('AssertionError')
    expect(error.failure.cause.id).toBe('clock')
    expect(error.message).toContain('board.moves')
    assertReloads(game, few)
  })

  test('assertReloads and assertConverges throw for what is not in the state', () => {
    const make = () => {
      const seen = new WeakMap<object, number>()
      return makeCounters({
        step({ state, tick }: Loose) {
          // Every simulation has a state object of its own, and counts the ticks since it was made.
          seen.set(state, (seen.get(state) ?? 0) + 1)
          if (tick > 60) state.board.moves = seen.get(state)
        },
      })
    }
    const reloads = thrown(() => assertReloads(make(), { ticks: 600 }))
    expect(reloads).toBeInstanceOf(Error)
    expect(thrown(() => assertConverges(make(), { ticks: 600 }))).toBeInstanceOf(CheckError)
  })

  test('assertPure throws for a validate that writes', () => {
    const game = makeCounters({
      validate({ state }: Loose) {
        state.board.moves += 1
        return true
      },
    })
    const error = thrown(() => assertPure(game, { ticks: 600 }))
    expect(error.failure).toMatchObject({ check: 'pure', cause: { id: 'impure-validate' } })
    expect(error.failure.site?.file).toMatch(/assertions\.test\.ts$/)
  })

  test('work in node:test as well', () => {
    const file = fileURLToPath(new URL('./testing/node-suite.ts', import.meta.url))
    const { PATH = '' } = process.env
    const run = spawnSync(process.execPath, ['--import', 'tsx', '--test', file], {
      encoding: 'utf8',
      env: { PATH },
    })
    expect(run.stdout).toContain('# pass 2')
    expect(run.stdout).toContain('# fail 1')
    expect(run.stdout).toContain('another clock, zone, language and engine change nothing')
  })
})

describe('simulate', () => {
  test('plays by chance, the same for the same seed', () => {
    const play = (seed: number) => simulate(sound, { seats: 2, seed, ticks: 200 })
    const first = play(1)
    expect(first.simulation.tick).toBe(200)
    expect(first.simulation.seats).toBe(2)
    expect(first.simulation.state.units.count).toBeGreaterThan(0)
    expect(play(1).simulation.stateHash()).toBe(first.simulation.stateHash())
    expect(play(2).simulation.stateHash()).not.toBe(first.simulation.stateHash())
    expect(first.outcomes.some(({ result }) => result === 'executed')).toBe(true)
  })

  test('plays a script again', () => {
    const { script, simulation } = simulate(sound, { seed: 5, ticks: 120 })
    expect(simulate(sound, { script }).simulation.stateHash()).toBe(simulation.stateHash())
  })

  test('throws what a rule of the game throws', () => {
    const game = makeCounters({
      step({ tick }: Loose) {
        if (tick === 7) throw new Error('seven')
      },
    })
    expect(() => simulate(game, { ticks: 10 })).toThrow('at tick 7: Error: seven')
  })
})
