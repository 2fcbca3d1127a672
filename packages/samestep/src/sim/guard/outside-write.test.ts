import { describe, expect, test } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import { loadSnapshot, saveSnapshot } from '../game/copies/snapshots.ts'
import { defineGame } from '../game/definition/define-game.ts'
import { emptyBundle } from '../game/run/bundle.ts'
import { createSimulation } from '../game/run/simulation.ts'
import { f32, i32, list, struct, u8 } from '../schema/index.ts'
import { custom } from '../state/custom.ts'
import { plain } from '../state/plain.ts'
import { queue } from '../state/queue.ts'
import { single } from '../state/single.ts'
import { table } from '../state/table.ts'
import { createTrace } from '../trace/trace.ts'

function problemOf(run: () => unknown): UsageError {
  try {
    run()
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('writes from outside a tick', () => {
  const rooms = defineGame({
    id: 'rooms',
    version: 1,
    seats: { min: 1, max: 1 },
    input: { up: u8 },
    state: {
      dots: table(8, { x: i32, hp: u8, spin: f32 }),
      score: single({ wave: u8 }),
      jobs: queue(4, { cost: u8 }),
      board: plain(struct({ cells: list(u8, 8) })),
      world: custom({
        create: () => ({ bytes: new Uint8Array(4) }),
        save: ({ bytes }) => bytes.slice(),
        load: (bytes) => ({ bytes: bytes.slice() }),
      }),
    },
    setup({ state }) {
      state.dots.add({ x: 5 })
      state.dots.add({ x: 6 })
    },
    step({ state, random }) {
      state.dots.x[0]! += random.below(3)
      state.board.cells[0] = state.score.wave
    },
  })
  const open = (guard = true) => createSimulation(rooms, { seed: 1, development: true, guard })

  type Rooms = ReturnType<typeof open>
  const writes: readonly (readonly [string, (simulation: Rooms) => unknown, RegExp])[] = [
    ['a cell', ({ state }) => (state.dots.x[1] = 9), /dots\.x\[1\] went from 6 to 9/],
    ['a new row', ({ state }) => state.dots.add({ hp: 3 }), /row 2 of dots was added/],
    ['a removed row', ({ state }) => state.dots.remove(0), /row 0 of dots was added or removed/],
    ['a single value', ({ state }) => (state.score.wave = 2), /score\.wave went from 0 to 2/],
    ['a queue, of zeros only', ({ state }) => state.jobs.push({}), /jobs\.cost/],
    ['a list', ({ state }) => state.board.cells.push(4), /board\.cells\[1\] went from null to 4/],
    ['a custom part', ({ state }) => (state.world.bytes[2] = 1), /world\.saved\[byte 2\]/],
    [
      'a random draw',
      ({ parts }) => (parts.part('#random')!.live as { next(): number }).next(),
      /#random\.main \(draws\) went from 1 to 2/,
    ],
    ['the sign of a zero', ({ state }) => (state.dots.spin[0] = -0), /dots\.spin was written/],
  ]

  test.each(writes)('%s is noticed and named when the next tick ran', (_name, write, expected) => {
    const simulation = open()
    simulation.step(emptyBundle(1))
    write(simulation)
    const problem = problemOf(() => simulation.step(emptyBundle(2)))
    expect(problem.code).toBe('SS_OUTSIDE_WRITE')
    expect(problem.message).toMatch(expected)
    expect(problem.message).toContain('since tick 1')
    // Told once; the tick itself has run.
    expect(simulation.tick).toBe(2)
    expect(simulation.step(emptyBundle(3)).faults).toEqual([])
  })

  test('many are counted, and only some listed', () => {
    const simulation = open()
    for (let row = 2; row < 8; row++) simulation.state.dots.add({ x: row })
    const { message } = problemOf(() => simulation.step(emptyBundle(1)))
    expect(message).toMatch(/and \d+ more;/)
  })

  test('a write that happens later, from a promise or a timer, is one from outside', async () => {
    const simulation = open()
    void (async () => {
      await undefined
      simulation.state.score.wave = 9
    })()
    simulation.step(emptyBundle(1))
    await undefined
    await undefined
    expect(() => simulation.step(emptyBundle(2))).toThrow('score.wave went from 0 to 9')
  })

  test('with a trace the line is named', () => {
    const trace = createTrace()
    const simulation = createSimulation(rooms, { seed: 1, development: true, trace })
    function clumsyRenderer() {
      simulation.state.dots.x[1] = 9
    }
    clumsyRenderer()
    expect(() => simulation.step(emptyBundle(1))).toThrow(
      /the line is .*clumsyRenderer \(.*outside-write\.test\.ts:\d+:\d+\)/,
    )
  })

  test('loading a snapshot is no write from outside', () => {
    const simulation = open()
    simulation.step(emptyBundle(1))
    const saved = saveSnapshot(simulation)
    simulation.step(emptyBundle(2))
    loadSnapshot(simulation, saved)
    expect(simulation.step(emptyBundle(2)).faults).toEqual([])
    simulation.state.score.wave = 1
    expect(() => simulation.step(emptyBundle(3))).toThrow('score.wave')
  })

  test('reading, hashing and saving between ticks is no write', () => {
    const simulation = open()
    for (let tick = 1; tick < 5; tick++) {
      expect(simulation.step(emptyBundle(tick)).faults).toEqual([])
      simulation.syncHash()
      simulation.stateHash()
      saveSnapshot(simulation)
      void simulation.view.dots.x[0]
    }
  })

  test('without a guard they go unnoticed, as in production', () => {
    const simulation = open(false)
    simulation.state.score.wave = 3
    expect(simulation.step(emptyBundle(1)).faults).toEqual([])
  })
})
