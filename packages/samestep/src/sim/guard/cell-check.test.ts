/** Values that do not fit their cells: told in development, with no effect on the state. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { fixed } from '../fixed.ts'
import { defineGame } from '../game/definition/define-game.ts'
import { emptyBundle } from '../game/run/bundle.ts'
import type { Fault } from '../game/run/report.ts'
import { createSimulation } from '../game/run/simulation.ts'
import { bool, f32, f64, i16, oneOf, range, seat, u8, u16, u32 } from '../schema/index.ts'
import { queue } from '../state/queue.ts'
import { single } from '../state/single.ts'
import { table } from '../state/table.ts'
import type { CellColumn } from '../state/table-rows.ts'
import { createTrace } from '../trace/trace.ts'
import { CellCheck } from './cell-check.ts'

afterEach(() => vi.unstubAllEnvs())

const stances = ['idle', 'walk'] as const
const fields = {
  x: fixed,
  hp: u8,
  speed: i16,
  heat: range(10, 20),
  owner: seat,
  alive: bool,
  stance: oneOf(stances),
  heading: u16,
  sector: range(0, 359),
  mass: f32,
  force: f64,
}

type Units = { readonly [K in keyof typeof fields]: CellColumn } & { add(values?: object): number }
type Score = { wave: number; open: boolean }
type Jobs = { push(values: object): boolean }
type Written = { readonly units: Units; readonly score: Score; readonly jobs: Jobs }

/** A game with one row, and whatever its step does to it. */
function makeGame(step: (state: Written, tick: number) => void, setup?: (state: Written) => void) {
  return defineGame({
    id: 'cells',
    version: 1,
    seats: { min: 1, max: 4 },
    state: {
      units: table(8, fields),
      score: single({ wave: u8, open: bool }),
      jobs: queue(4, { cost: u32 }),
    },
    render: { units: { heading: 'angle', sector: 'angle' } },
    setup({ state }) {
      state.units.add()
      state.units.add()
      setup?.(state as unknown as Written)
    },
    systems: [{ name: 'move', run: ({ state, tick }) => step(state as never, tick) }],
  })
}

function run(
  step: (state: Written, tick: number) => void,
  ticks = 1,
  options: object = {},
  setup?: (state: Written) => void,
) {
  const game = makeGame(step, setup)
  const simulation = createSimulation(game, { seed: 1, ...options })
  const faults: Fault[] = []
  for (let tick = 1; tick <= ticks; tick++)
    faults.push(...simulation.step(emptyBundle(tick)).faults)
  return { simulation, faults, text: faults.map(({ error }) => (error as Error).message) }
}

function takeOne(hp: CellColumn): void {
  hp[2]! -= 1
}

describe('a value that a typed array changes is told', () => {
  test.each([
    ['x', 0.5, 0, /fixed\.from\(0\.5\)/],
    ['hp', 300, 44, /wider type/],
    ['hp', -1, 255, /wider type/],
    ['hp', 1.5, 1, /Math\.floor/],
    ['hp', Number.POSITIVE_INFINITY, 0, /wider type/],
    ['speed', 40_000, -25_536, /wider type/],
    ['hp', Number.NaN, 0, /never set/],
    ['mass', undefined, Number.NaN, /never set/],
    ['hp', '7', 7, /never set/],
    ['heat', 9, 9, /a snapshot with it cannot be loaded/],
    ['owner', 64, 64, /a snapshot with it cannot be loaded/],
    ['alive', 2, 2, /a snapshot with it cannot be loaded/],
    ['stance', 2, 2, /a snapshot with it cannot be loaded/],
    ['sector', 360, 360, /a snapshot with it cannot be loaded/],
    ['heading', 0.5, 0, /Math\.floor/],
  ] as const)('%s = %s', (field, value, kept, advice) => {
    const { faults, text } = run(({ units }) => {
      units[field][1] = value as number
    })
    expect(faults).toMatchObject([
      {
        tick: 1,
        where: 'cell',
        name: `units.${field}`,
        cell: { part: 'units', row: 1, field, kept, writer: "step 'move'", cells: 1 },
      },
    ])
    const [message = ''] = text
    expect(message).toMatch(advice)
    expect(message).toContain(`units.${field}[1]`)
    expect(message).toContain("step 'move'")
    expect(faults[0]?.cell?.value).toBe(typeof value === 'number' ? value : String(value))
    // The line of game code is the first of the stack.
    const stack = (faults[0]?.error as Error | undefined)?.stack ?? ''
    expect(stack.split('\n    at ')[1]).toMatch(/cell-check\.test\.ts/)
  })

  test('with the whole sentence', () => {
    const { text } = run(({ units }) => {
      units.hp[0] = 300
      units.x[0] = 0.5
    })
    expect(text).toEqual([
      "Cannot keep 300 in units.hp[0] (u8, whole numbers from 0 to 255), written by step 'move': it became 44; bound it with Math.min and Math.max, declare a wider type, or write x & mask for a value that should wrap",
      "Cannot keep 0.5 in units.x[0] (fixed, whole numbers from -2147483648 to 2147483647), written by step 'move': it became 0; a fixed-point number is a count of 65 536ths: write fixed.from(0.5) for the number itself, or Math.trunc(…) after a division",
    ])
  })

  test.each([
    ['fill', (hp: CellColumn) => hp.fill(256, 1), 1],
    ['set', (hp: CellColumn) => (hp as never as Uint8Array).set([1, 256], 2), 3],
    ['subarray', (hp: CellColumn) => (hp as never as Uint8Array).subarray(4).fill(256, 1), 5],
    ['-=', takeOne, 2],
  ])('also by %s', (_name, write, row) => {
    const { faults } = run(({ units }) => write(units.hp))
    expect(faults).toMatchObject([{ name: 'units.hp', cell: { row } }])
  })

  test('in setup it is told with the first tick, as of tick 0', () => {
    const { faults } = run(
      () => {},
      1,
      {},
      ({ units }) => {
        units.x[0] = 1.25
      },
    )
    expect(faults).toMatchObject([{ tick: 0, where: 'cell', cell: { writer: 'setup' } }])
  })

  test('one of each kind per tick, with the number of its cells', () => {
    const { faults } = run(({ units }) => {
      for (let row = 0; row < 8; row++) units.hp[row] = 256 + row
    }, 3)
    expect(faults.map(({ tick, cell }) => [tick, cell?.row, cell?.cells])).toEqual([
      [1, 0, 8],
      [2, 0, 8],
      [3, 0, 8],
    ])
  })
})

test('values that fit are not told, nor an angle that goes round, nor a float that is rounded', () => {
  const { faults } = run(({ units, score, jobs }) => {
    units.x[0] = fixed.from(0.5)
    units.hp[0] = 255
    units.hp[1] = -0
    units.heat[0] = 20
    units.alive[0] = true as never
    units.heading[0]! -= 1
    units.heading[1] = 65_536
    units.mass[0] = 0.1
    units.force[0] = Number.NaN
    units.hp[99] = 1_000
    units.add({ hp: 7, stance: 'walk', alive: true })
    score.wave = 3
    jobs.push({ cost: 5 })
    ;(units.hp as never as Uint8Array).sort().reverse()
  }, 3)
  expect(faults).toEqual([])
})

describe('it has no effect on the state', () => {
  const write = ({ units, score, jobs }: Written, tick: number): void => {
    units.hp[0] = 300 + tick
    units.x[1]! += 0.75
    units.heat[1] = tick
    score.wave = (score.wave + 1) & 0xff
    jobs.push({ cost: tick })
    units.mass[0] = units.mass[1]! + 0.1
  }

  test('hashes are those of production, and of a trace', () => {
    const plain = run(write, 50, { development: false, guard: false })
    expect(plain.faults).toEqual([])
    const checked = run(write, 50)
    expect(checked.faults.length).toBeGreaterThan(50)
    const traced = run(write, 50, { trace: createTrace() })
    expect(checked.simulation.stateHash()).toBe(plain.simulation.stateHash())
    expect(traced.simulation.stateHash()).toBe(plain.simulation.stateHash())
  })

  test('a simulation for production has plain columns, and nothing looks', () => {
    const seen: unknown[] = []
    run(({ units }) => seen.push(units.hp), 1, { development: false })
    vi.stubEnv('NODE_ENV', 'production')
    run(({ units }) => seen.push(units.hp), 1, { guard: true })
    for (const column of seen) expect(ArrayBuffer.isView(column)).toBe(true)
  })

  test('outside of the game’s functions the columns are the real ones', () => {
    const { simulation } = run(() => {})
    expect(ArrayBuffer.isView(simulation.state.units.hp)).toBe(true)
  })
})

describe('what add, push and a single are given', () => {
  const write = ({ units, score, jobs }: Written): void => {
    units.add({ hp: 300, alive: 'yes', armour: 7 })
    score.wave = 0.5
    score.open = 2 as never
    jobs.push({ cost: -1, price: 3 })
    // Behind all that: nothing above may have ended the system.
    units.hp[0] = 9
  }
  const told = [
    { name: 'units.hp', cell: { row: 2, value: 300, kept: 44, writer: "step 'move'" } },
    { name: 'units.alive', cell: { row: 2, value: 'yes', kept: 1 } },
    { name: 'units.armour', cell: { row: 2, value: 7, kept: undefined } },
    { name: 'score.wave', cell: { row: undefined, value: 0.5, kept: 0 } },
    { name: 'score.open', cell: { row: undefined, value: 2, kept: 1 } },
    { name: 'jobs.cost', cell: { row: 0, value: -1, kept: 4_294_967_295 } },
    { name: 'jobs.price', cell: { row: 0, value: 3, kept: undefined } },
  ]

  test('is told in development, and changes nothing about the state', () => {
    const production = run(write, 1, { development: false, guard: false })
    expect(production.faults).toEqual([])
    expect(production.simulation.state.units.hp[0]).toBe(9)
    const development = run(write, 1, { development: true, guard: true })
    expect(development.faults).toMatchObject(told)
    expect(development.text[2]).toMatch(/'armour' of a row of 'units'.*the fields are x, hp/)
    expect(development.faults[2]?.error).toMatchObject({ code: 'SS_BAD_VALUE' })
    const others = [
      run(write, 1, { development: true, guard: false }),
      run(write, 1, { development: true, trace: createTrace() }),
    ]
    for (const { simulation } of [development, ...others]) {
      expect(simulation.stateHash()).toBe(production.simulation.stateHash())
    }
  })

  test('is told without development where a tool asks for it', () => {
    const options = { development: false, guard: false, cells: new CellCheck({}) }
    expect(run(write, 1, options).faults).toMatchObject(told)
  })

  test('stands in the state of setup too, in both modes', () => {
    const setup = ({ units }: Written): void => {
      units.add({ hp: 300 })
    }
    const development = run(() => {}, 1, { development: true, guard: true }, setup)
    const production = run(() => {}, 1, { development: false, guard: false }, setup)
    expect(development.faults).toMatchObject([{ tick: 0, cell: { value: 300, kept: 44 } }])
    expect(development.simulation.stateHash()).toBe(production.simulation.stateHash())
  })
})

test('wide columns that go round are not told where a tool says so', () => {
  const write = ({ units, jobs }: Written): void => {
    units.x[0] = 2 ** 31
    jobs.push({ cost: -1 })
    units.hp[0] = 256
    units.x[1] = 0.5
  }
  const options = { development: false, guard: false, cells: new CellCheck({}, 'round') }
  const { faults } = run(write, 1, options)
  expect(faults.map(({ name }) => name)).toEqual(['units.hp', 'units.x'])
})

describe('what it costs is bounded', () => {
  const rounds = 1_000

  test('a function that touches many cells is looked at now and then, one that touches few always', () => {
    const looked: number[] = []
    run(({ units }, tick) => {
      if (!ArrayBuffer.isView(units.hp)) looked.push(tick)
      // Eight thousand cells: one call in seventeen.
      for (let round = 0; round < rounds; round++) {
        for (let row = 0; row < 8; row++) units.hp[row] = row
      }
    }, 36)
    expect(looked).toEqual([1, 18, 35])
    const few: number[] = []
    run(({ units }, tick) => {
      if (!ArrayBuffer.isView(units.hp)) few.push(tick)
      units.hp[0] = 1
    }, 5)
    expect(few).toEqual([1, 2, 3, 4, 5])
  })
})
