/**
 * What the guard, its look at cells, and tracing cost: nothing when they are off, and how much when they
 * are on. The
 * baseline runs the same systems, makes values canonical and hashes by hand, without a simulation
 * around it.
 */

import type {
  GameState,
  StepContext,
} from '../../packages/samestep/src/sim/game/definition/context.ts'
import { defineGame } from '../../packages/samestep/src/sim/game/definition/define-game.ts'
import { emptyBundle } from '../../packages/samestep/src/sim/game/run/bundle.ts'
import { createSimulation } from '../../packages/samestep/src/sim/game/run/simulation.ts'
import { CellCheck } from '../../packages/samestep/src/sim/guard/cell-check.ts'
import { SyncTree } from '../../packages/samestep/src/sim/hash/tree.ts'
import { i32, u16 } from '../../packages/samestep/src/sim/schema/index.ts'
import { table } from '../../packages/samestep/src/sim/state/table.ts'
import { createTrace } from '../../packages/samestep/src/sim/trace/trace.ts'
import type { Contender, Suite } from '../types.ts'

const rows = 2_000

const state = { units: table(rows, { x: i32, y: i32, speed: i32, hp: u16 }) }

type Tick = StepContext<{ state: typeof state }>

function movement({ state: { units }, random }: Tick): void {
  const { x, y, speed } = units
  const wind = random.below(3)
  for (let row = 0; row < rows; row++) {
    x[row]! += speed[row]! + wind
    y[row] = (y[row]! * 3 + x[row]!) | 0
  }
}

function healing({ state: { units }, tick }: Tick): void {
  for (let row = tick % 16; row < rows; row += 16) units.hp[row]! += 1
}

const systems = [movement, healing]

const march = defineGame({
  id: 'march',
  version: 1,
  seats: { min: 1, max: 1 },
  state,
  setup({ state: { units } }: { readonly state: GameState<{ state: typeof state }> }) {
    for (let row = 0; row < rows; row++) units.add({ x: row, speed: row % 7 })
  },
  systems,
})

function stepping(options: object): Contender {
  const simulation = createSimulation(march, { seed: 1, development: false, ...options })
  return () => simulation.step(emptyBundle(simulation.matchTick + 1))
}

/** The tick's work without the simulation. */
function byHand(): Contender {
  const { parts } = createSimulation(march, { seed: 1, development: false })
  const tree = new SyncTree()
  const random = parts.part('#random')?.live
  const context = { state: parts.live, random, tick: 0 } as unknown as {
    -readonly [K in keyof Tick]: Tick[K]
  }
  return () => {
    context.tick += 1
    for (const run of systems) run(context)
    parts.normalise()
    tree.update(parts, parts.memory)
    return tree.rootLo
  }
}

/** Traced ticks forget the ones before, as a diagnosis does, so that memory stays the same. */
function tracing(options: object): Contender {
  const trace = createTrace(options)
  const step = stepping({ trace })
  return () => {
    trace.restart()
    return step()
  }
}

/** The suites of this file. */
export const suites: readonly Suite[] = [
  {
    name: 'guard-trace',
    work: `one tick of ${rows} units, 4 125 writes`,
    baseline: 'by hand',
    targets: [
      { of: 'off', against: 'by hand', atMost: 1.25 },
      { of: 'guard', against: 'off', atMost: 12 },
    ],
    prepare: () => ({
      contenders: {
        'by hand': byHand(),
        off: stepping({}),
        'cells now and then': stepping({ cells: new CellCheck({}) }),
        guard: stepping({ guard: true }),
        'tracing without lines': tracing({ callSites: false }),
        tracing: tracing({}),
      },
    }),
  },
]
