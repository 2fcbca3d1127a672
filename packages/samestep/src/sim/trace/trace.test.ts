import { describe, expect, test } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import { fixed } from '../fixed.ts'
import { defineGame } from '../game/definition/define-game.ts'
import { derived } from '../game/derived/derived.ts'
import { emptyBundle } from '../game/run/bundle.ts'
import { createSimulation } from '../game/run/simulation.ts'
import { bool, list, map, struct, u8, u16 } from '../schema/index.ts'
import { custom } from '../state/custom.ts'
import { plain } from '../state/plain.ts'
import { queue } from '../state/queue.ts'
import { single } from '../state/single.ts'
import { table } from '../state/table.ts'
import { createTrace } from './trace.ts'
import type { TraceEntry } from './trace-entry.ts'
import { compareTraces } from './trace-search.ts'

/** Which of two machines is running, so that one can be made to differ. */
const machine = { bias: 0 }

/** A small game with a bug: `bias` leaks into the step. */
const duel = defineGame({
  id: 'duel',
  version: 1,
  seats: { min: 1, max: 2 },
  state: {
    units: table(8, { x: fixed, hp: u8.default(50) }),
    score: single({ over: bool, wave: u16 }),
    jobs: queue(4, { unit: u8 }),
    board: plain(struct({ cells: list(u8, 8), hands: map(u8, list(u8, 4), 4) })),
    world: custom({
      create: () => ({ cells: new Uint8Array(4) }),
      save: ({ cells }) => cells.slice(),
      load: (bytes) => ({ cells: bytes.slice() }),
    }),
  },
  input: { up: u8 },
  orders: { hit: { by: u8 } },
  random: ['loot'],
  derived: { count: derived((state: { units: { count: number } }) => state.units.count) },
  setup({ state }) {
    state.units.add({ x: fixed.from(1.5) })
    state.units.add()
    state.board.hands.set(3, [1])
  },
  apply({ state, order }) {
    state.units.hp[0]! -= order.data.by
  },
  systems: [
    {
      name: 'movement',
      run({ state }) {
        state.units.x[0] = fixed.from(2.25)
        state.units.x[1]! += machine.bias
      },
    },
    {
      name: 'loot',
      run({ state, random }) {
        state.score.wave = random.stream('loot').between(1, 1_000)
      },
    },
  ],
})

function start(options: object = {}) {
  const trace = createTrace(options)
  const simulation = createSimulation(duel, { seed: 4, trace, guard: false })
  trace.restart()
  return { trace, simulation }
}

/** What a test compares: entries without their numbers and lines. */
function shown(entries: readonly TraceEntry[]) {
  return entries.map(({ kind, where, name, part, row, field, before, after }) => {
    const place = row === undefined ? `${part}.${field}` : `${part}.${field}[${row}]`
    return [`${where}/${name}`, kind, place, before, after]
  })
}

/** Runs a function as if it were a system, and gives the entries. */
function tracing(run: (state: (typeof duelState)['state']) => void) {
  const trace = createTrace()
  const probe = defineGame({
    ...(duel.definition as object),
    id: 'probe',
    systems: [{ name: 'probe', run: ({ state }: { state: never }) => run(state) }],
  } as never)
  const simulation = createSimulation(probe, { seed: 4, trace, development: false })
  trace.restart()
  const report = simulation.step(emptyBundle(1) as never)
  return { entries: trace.entries(), faults: report.faults }
}
const duelState = createSimulation(duel, { seed: 1 })

describe('a trace', () => {
  test('has every write with its function, old and new value, in the sequence of writing', () => {
    const { trace, simulation } = start()
    const orders = [{ seat: 0, bytes: duel.orderCodec.encode('hit', { by: 7 }) }]
    simulation.step({ ...emptyBundle(1), orders })
    const wave = simulation.state.score.wave
    const entries = trace.entries()
    const drawn = entries.find(({ kind }) => kind === 'draw')
    expect(shown(entries)).toEqual([
      ['apply/hit', 'set', 'units.hp[0]', 50, 43],
      ['step/movement', 'set', 'units.x[0]', 1.5, 2.25],
      ['step/movement', 'set', 'units.x[1]', 0, 0],
      ['step/loot', 'draw', '#random.loot', 0, drawn?.after],
      ['step/loot', 'set', 'score.wave[0]', 0, wave],
    ])
    expect(entries.map(({ index, tick }) => [index, tick])).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 1],
    ])
  })

  test('has the line of game code for each write and draw, not the one of the library', () => {
    const { trace, simulation } = start()
    simulation.step(emptyBundle(1))
    for (const { site } of trace.entries()) expect(site?.file).toMatch(/trace\.test\.ts$/)
    const names = trace.entries().map(({ name, site }) => [name, site?.line])
    // Two statements, and one that both draws and writes.
    expect(new Set(names.map(([, line]) => line)).size).toBe(3)
    const lines = names.map(([, line]) => line as number)
    expect(lines[1]).toBe((lines[0] as number) + 1)
    expect(lines[2]).toBe(lines[3])
  })

  test('has setup too, when it is not restarted after', () => {
    const trace = createTrace()
    createSimulation(duel, { seed: 4, trace })
    const entries = trace.entries()
    expect(shown(entries).slice(0, 3)).toEqual([
      ['setup/setup', 'add', 'units.#life[0]', 0, 1],
      ['setup/setup', 'set', 'units.x[0]', 0, 1.5],
      ['setup/setup', 'set', 'units.hp[0]', 0, 50],
    ])
    expect(entries[0]?.site?.functionName).toMatch(/setup$/)
  })

  test('has nothing from before it is restarted, if it waits for that', () => {
    const trace = createTrace({ waitsForRestart: true })
    const simulation = createSimulation(duel, { seed: 1, trace })
    expect([trace.count, trace.skipped > 0]).toEqual([0, true])
    trace.restart()
    simulation.step(emptyBundle(1))
    const all = createTrace()
    const other = createSimulation(duel, { seed: 1, trace: all })
    all.restart()
    other.step(emptyBundle(1))
    expect(trace.count).toBeGreaterThan(0)
    expect(compareTraces(trace, all).verdict).toEqual({ result: 'same' })
  })

  test('has rows that end, with the cells that they had', () => {
    const { entries } = tracing((state) => state.units.remove(0))
    expect(shown(entries)).toEqual([
      ['step/probe', 'remove', 'units.#life[0]', 1, 2],
      ['step/probe', 'set', 'units.x[0]', 1.5, 0],
      ['step/probe', 'set', 'units.hp[0]', 50, 0],
    ])
  })

  test('has queues: what is pushed, taken and cleared', () => {
    const { entries } = tracing(({ jobs }) => {
      jobs.push({ unit: 3 })
      jobs.push({ unit: 4 })
      jobs.run(1, () => 1)
      jobs.push({ unit: 5 })
      jobs.clear()
    })
    expect(shown(entries).map(([, ...rest]) => rest)).toEqual([
      ['push', 'jobs.unit[0]', null, 3],
      ['push', 'jobs.unit[1]', null, 4],
      ['take', 'jobs.item[0]', 2, 1],
      ['push', 'jobs.unit[1]', null, 5],
      ['delete', 'jobs.items', 2, 0],
    ])
    for (const { site } of entries) expect(site?.file).toMatch(/trace\.test\.ts$/)
  })

  test('has paths inside plain values, by how they were reached last', () => {
    const { entries } = tracing(({ board }) => {
      board.cells.push(7)
      board.cells[0] = 8
      board.hands.get(3)?.push(9)
      board.hands.delete(3)
      board.cells = []
    })
    const found = shown(entries).map(([, ...rest]) => rest)
    expect(found.filter(([kind]) => kind !== 'digest')).toEqual([
      ['set', 'board.cells[0]', null, 7],
      ['set', 'board.cells.length', 1, 1],
      ['set', 'board.cells[0]', 7, 8],
      ['set', 'board.hands.get(3)[1]', null, 9],
      ['set', 'board.hands.get(3).length', 2, 2],
      ['delete', 'board.hands.get(3)', [1, 9], null],
      ['set', 'board.cells', [8], []],
    ])
    expect(entries.every(({ kind, site }) => kind === 'digest' || site !== undefined)).toBe(true)
  })

  test('has what it cannot see, at the end of the function that did it', () => {
    const { entries } = tracing((state) => {
      state.world.cells[2] = 9
      new Uint8Array((state.units.hp as unknown as Uint8Array).buffer, byteOffset(state), 1)[0] = 77
      const kept = [5]
      state.board.hands.set(1, kept)
      kept[0] = 6
    })
    const unseen = shown(entries).filter(([, kind]) => kind === 'unseen')
    expect(unseen).toEqual([
      ['step/probe', 'unseen', 'units.hp[0]', 50, 77],
      ['step/probe', 'unseen', 'board.hands[0]', 5, 6],
      ['step/probe', 'unseen', 'world.saved[byte 2]', 0, 9],
    ])
  })

  function byteOffset(state: (typeof duelState)['state']): number {
    return (state.units.hp as unknown as Uint8Array).byteOffset
  }

  test('has writes to inputs, which are state too', () => {
    const trace = createTrace()
    const game = defineGame({
      id: 'cheat',
      version: 1,
      seats: { min: 1, max: 1 },
      state: { score: single({ wave: u8 }) },
      input: { up: u8 },
      step({ inputs }) {
        ;(inputs[0] as { up: number }).up += 1
      },
    })
    const simulation = createSimulation(game, { seed: 1, trace })
    simulation.step({ ...emptyBundle(1), inputs: [{ up: 4 }] })
    const [written] = trace.entries()
    expect(written).toMatchObject({ part: '#inputs', field: 'seats[0].up', before: 4, after: 5 })
  })

  test('names writes from outside a tick, with their line', () => {
    const { trace, simulation } = start()
    function renderer() {
      simulation.state.units.hp[1] = 1
    }
    renderer()
    expect(trace.entries()).toMatchObject([
      { where: 'outside', part: 'units', row: 1, field: 'hp', before: 50, after: 1 },
    ])
    expect(trace.entries()[0]?.site?.functionName).toContain('renderer')
  })

  test('has writes of validate and derived under their names', () => {
    const trace = createTrace()
    const leak: { state?: { wave: number } } = {}
    const game = defineGame({
      id: 'impure',
      version: 1,
      seats: { min: 1, max: 1 },
      state: { score: single({ wave: u8 }) },
      orders: { go: {} },
      derived: {
        sum: derived((state: { score: { wave: number } }) => {
          state.score.wave += 1
        }),
      },
      setup({ state }) {
        leak.state = state.score
      },
      validate() {
        leak.state!.wave += 1
        return true
      },
      step() {},
    })
    const simulation = createSimulation(game, { seed: 1, trace, development: false })
    trace.restart()
    const orders = [{ seat: 0, bytes: game.orderCodec.encode('go', {}) }]
    simulation.step({ ...emptyBundle(1), orders })
    expect(trace.entries().map(({ where, name }) => `${where}/${name}`)).toEqual([
      'derived/sum',
      'validate/go',
    ])
  })

  test('finds the first write on which two machines differ, with both values and the line', () => {
    const run = (bias: number) => {
      const { trace, simulation } = start()
      simulation.step(emptyBundle(1))
      trace.restart()
      machine.bias = bias
      simulation.step(emptyBundle(2))
      machine.bias = 0
      return trace
    }
    const { verdict, mine, theirs } = compareTraces(run(0), run(1))
    expect(verdict).toEqual({ result: 'differs', index: 1 })
    expect(mine).toMatchObject({ name: 'movement', part: 'units', row: 1, field: 'x', after: 0 })
    expect(theirs).toMatchObject({ tick: 2, after: 1 / 65_536 })
    expect(theirs?.site).toEqual(mine?.site)
    expect(compareTraces(run(0), run(0)).verdict).toEqual({ result: 'same' })
  })

  test('gives lines to a resolver when somebody looks at them, not before', () => {
    const asked: string[] = []
    const { trace, simulation } = start({
      resolve(site: { file: string }) {
        asked.push(site.file)
        return { functionName: 'original', file: 'game.ts', line: 1, column: 1 }
      },
    })
    simulation.step(emptyBundle(1))
    expect(asked).toEqual([])
    expect(trace.entry(0)?.site).toMatchObject({ functionName: 'original', file: 'game.ts' })
    expect(asked.length).toBeGreaterThan(0)
  })

  test('without call sites has no lines', () => {
    const { trace, simulation } = start({ callSites: false })
    simulation.step(emptyBundle(1))
    expect(trace.entries().map(({ site, frames }) => [site, frames])).toEqual(
      trace.entries().map(() => [undefined, []]),
    )
  })

  test('belongs to one simulation', () => {
    const { trace } = start()
    expect(() => createSimulation(duel, { seed: 1, trace })).toThrow(UsageError)
  })

  test('leaves nothing behind: globals are as before, and other simulations are not traced', () => {
    const before = Object.getOwnPropertyDescriptor(globalThis, 'structuredClone')
    const { trace, simulation } = start()
    const other = createSimulation(duel, { seed: 4 })
    simulation.step(emptyBundle(1))
    const { count } = trace
    other.step(emptyBundle(1))
    expect(trace.count).toBe(count)
    expect(Object.getOwnPropertyDescriptor(globalThis, 'structuredClone')).toEqual(before)
    expect(ArrayBuffer.isView(other.state.units.x)).toBe(true)
  })
})
