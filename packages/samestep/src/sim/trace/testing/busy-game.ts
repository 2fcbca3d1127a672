import type { GameState, StepContext } from '../../game/definition/context.ts'
import { defineGame } from '../../game/definition/define-game.ts'
import { batch, runBatch } from '../../game/definition/schedule.ts'
import { derived } from '../../game/derived/derived.ts'
import { emptyBundle } from '../../game/run/bundle.ts'
import type { SimulationOptions } from '../../game/run/simulation.ts'
import { createSimulation } from '../../game/run/simulation.ts'
import type { RandomStream } from '../../random/index.ts'
import {
  bool,
  bytes,
  f32,
  f64,
  i16,
  i32,
  list,
  map,
  range,
  set,
  struct,
  text,
  u8,
  u16,
} from '../../schema/index.ts'
import { custom } from '../../state/custom.ts'
import { SpatialGrid } from '../../state/grid.ts'
import { plain } from '../../state/plain.ts'
import { queue } from '../../state/queue.ts'
import { single } from '../../state/single.ts'
import { table } from '../../state/table.ts'

/** A game with every kind of state, in which each order is one way to write to it. */

const piece = struct({ hp: u8, tags: set(u8, 6), at: list(i16, 4) })

const state = {
  units: table(40, { x: i32, y: f32, z: f64, hp: u8.default(9), owner: range(-1, 5) }),
  score: single({ wave: u16, over: bool, best: f32 }),
  jobs: queue(6, { unit: u8, cost: u16 }),
  board: plain(
    struct({
      cells: list(f32, 24),
      pieces: list(piece, 12),
      hands: map(u8, list(u8, 8), 8),
      seen: set(text(8), 8),
      memo: bytes(16),
      name: text(12),
    }),
  ),
  world: custom({
    create: () => ({ cells: new Uint8Array(32) }),
    save: ({ cells }) => cells.slice(),
    load: (saved) => ({ cells: saved.slice() }),
  }),
  healing: batch(),
}

type State = GameState<{ state: typeof state }>
type Tick = StepContext<{ state: typeof state; random: 'loot' }>

/** One way to write; `a` and `b` are small numbers of the test's choosing. */
type Way = (
  state: State,
  random: { readonly main: RandomStream; readonly loot: RandomStream },
  a: number,
  b: number,
) => void

/** Every way, by name. */
export const ways: { readonly [name: string]: Way } = {
  setCell({ units }, _random, a, b) {
    units.x[a % 40] = b * 1_000_003
    units.y[b % 40]! += a / 3
    units.hp[a]! -= b
  },
  setNegativeZero({ units }, _random, a) {
    units.z[a % 40] = -0
    units.y[a % 40] = Number.NaN
  },
  setOutside({ units }, _random, a) {
    units.x[400 + a] = 3
  },
  bulk({ units }, _random, a, b) {
    units.x.fill(b, a % 40, (a + 5) % 40)
    const cells = units.hp as unknown as Uint8Array
    cells.copyWithin(a % 20, 5, 5 + (b % 10))
    ;(units.x as unknown as Int32Array).subarray(a % 10, 10 + (b % 10)).reverse()
    ;(units.y as unknown as Float32Array).subarray(2, 9).set([a, b, a + b])
    ;(units.z as unknown as Float64Array).subarray(1, 8).sort((one, other) => other - one)
    // Overlapping: a copy must be taken of the source first.
    cells.set(cells.subarray(0, 12), 3)
  },
  readCells({ units, score }, _random, a) {
    const cells = units.x as unknown as Int32Array
    const sum = cells.reduce((total, cell) => (total + cell) | 0, 0)
    const found = cells.findIndex((cell) => cell > a)
    const copy = new Int32Array(cells)
    const part = new Float64Array(40)
    part.set(units.z as unknown as Float64Array)
    cells.slice(0, 3).fill(9)
    cells.map((cell) => cell + 1)
    score.wave =
      (sum ^ found ^ copy[a % 40]! ^ part[3]! ^ [...cells].length ^ cells.indexOf(a)) & 0xffff
  },
  writeInCallback({ units }, _random, a) {
    ;(units.x as unknown as Int32Array).forEach((cell, row, cells) => {
      if (row % 7 === a % 7) cells[row] = cell + 1
    })
  },
  addRow({ units, score }, _random, a, b) {
    if (units.count === 40) return
    const row = units.add(a % 2 === 0 ? { x: a, y: b / 7 } : undefined)
    score.best = units.refOf(row) % 1_000
  },
  removeRow({ units }, _random, a) {
    const row = units.next(a - 1)
    if (row >= 0) units.remove(row)
  },
  fail({ units, score }, _random, a) {
    score.wave += 1
    units.remove(39)
    score.wave += a
  },
  setSingle({ score }, _random, a, b) {
    score.wave = (score.wave + a) & 0xffff
    score.over = !score.over
    score.best = b / 3
  },
  pushJob({ jobs, score }, _random, a, b) {
    if (!jobs.push(a % 2 === 0 ? { unit: a, cost: b } : {})) score.wave = 1
  },
  runJobs({ jobs, units }, _random, a) {
    jobs.run(a % 9, (job) => {
      units.hp[job.unit % 40]! += 1
      if (job.cost > 20) jobs.push({ unit: job.unit, cost: job.cost >> 1 })
      return job.cost
    })
  },
  clearJobs({ jobs }) {
    jobs.clear()
  },
  setList({ board }, _random, a, b) {
    if (board.cells.length < 20) board.cells.push(a / 3, -0)
    board.cells[0] = b
    board.cells.sort((one, other) => one - other)
    if (a % 5 === 0) board.cells.splice(1, 2)
    if (a % 7 === 0) board.cells.length = 1
  },
  movePieces({ board, score }, _random, a, b) {
    const { pieces } = board
    if (pieces.length < 10) pieces.push({ hp: a, tags: new Set([1, 2]), at: [a, b] })
    pieces[0]!.hp = b
    pieces[pieces.length - 1]!.at[0] = a
    pieces[0]!.tags.add(a % 6).delete(2)
    if (a % 2 === 0) board.pieces = pieces.filter((one) => one.hp !== 3)
    const last = board.pieces.at(-1)
    if (last !== undefined && a % 3 === 0) {
      score.wave = board.pieces.indexOf(last)
      last.hp = board.pieces.includes(last) ? 4 : 5
      board.pieces.unshift(board.pieces.pop()!)
    }
    if (a % 11 === 0) board.pieces = []
  },
  keepReference({ board }, _random, a) {
    const kept = { hp: 1, tags: new Set<number>(), at: [0] }
    if (board.pieces.length < 10) board.pieces.push(kept)
    kept.hp = a
    kept.at[0] = a
  },
  deal({ board }, _random, a, b) {
    const { hands } = board
    if (hands.size < 8) hands.set(a % 8, [b])
    for (const [key, hand] of hands) if (hand.length < 6) hand.push(key)
    hands.get(a % 8)?.shift()
    if (a % 6 === 0) hands.delete(b % 8)
    if (a % 13 === 0) hands.clear()
    hands.forEach((hand) => {
      hand.reverse()
    })
  },
  see({ board }, _random, a, b) {
    if (board.seen.size < 6) board.seen.add(`s${a}`)
    if (board.seen.has(`s${b}`)) board.seen.delete(`s${b}`)
    board.name = [...board.seen].join('').slice(0, 12)
    if (board.seen.size > 5) board.seen.clear()
  },
  setBytes({ board }, _random, a, b) {
    if (board.memo.length === 0) board.memo = new Uint8Array(8)
    board.memo[a % 8] = b
    board.memo.fill(a, 6)
  },
  thinkAhead({ board, score }, _random, a) {
    const copy = structuredClone(board.pieces)
    for (const one of copy) one.hp = a
    const nested = structuredClone({ all: board.hands, first: board.pieces[0] })
    score.wave = copy.length + nested.all.size + JSON.stringify(board).length
  },
  paint({ world }, _random, a, b) {
    world.cells[a % 32] = b
  },
  draw({ units, board }, { main, loot }, a) {
    units.x[0] = main.below(a + 1)
    units.x[1] = loot.between(-5, 5)
    if (loot.chance(1, 2)) units.hp[2] = loot.weighted([1, 2, 3])
    main.shuffle(units.x)
    if (board.cells.length > 0) board.cells[0] = main.pick(board.cells)
  },
}

/** The names of all ways, in the sequence of their numbers. */
export const wayNames: readonly string[] = Object.keys(ways)

const mover = ({ state, tick, inputs, derived }: Tick & { derived: { grid: SpatialGrid } }) => {
  const { units } = state
  const near = new Int32Array(8)
  for (const row of units) {
    const count = derived.grid.query(units.x[row]!, units.y[row]!, 50, near)
    units.x[row]! += inputs.length + count
    units.z[row] = units.z[row]! / 3 + tick
  }
}

/** The game. Each `do` order is one way, with its two numbers. */
export const busy = defineGame({
  id: 'busy',
  version: 1,
  seats: { min: 2, max: 2 },
  state,
  input: { dx: u8 },
  orders: { do: { way: u8, a: u8, b: u8 } },
  random: ['loot'],
  derived: {
    grid: derived((now: State, old: SpatialGrid | undefined) => {
      const grid = old ?? new SpatialGrid({ cellSize: 16, columns: 8, lines: 8 })
      grid.rebuild(now.units, now.units.x, now.units.y)
      return grid
    }),
  },
  render: { units: { x: 'lerp' } },
  setup({ state, random }) {
    for (let count = 0; count < 5; count++) state.units.add({ x: random.below(100) })
    state.board.cells.push(1, 2, 3)
  },
  validate({ state, order }) {
    return order.data.a !== 99 || state.units.count > 0
  },
  apply({ state, random, order }) {
    const { way, a, b } = order.data
    const loot = random.stream('loot')
    ways[wayNames[way % wayNames.length]!]!(state, { main: random, loot }, a, b)
  },
  systems: [
    { name: 'mover', run: mover as never },
    {
      name: 'healer',
      run({ state }) {
        runBatch(state.healing, state.units, 3, (row) => {
          state.units.hp[row]! += 1
        })
      },
    },
  ],
})

/** An order of the script: the number of a way and two small numbers. */
export type Command = readonly [way: number, a: number, b: number]

/** Starts it, with two seats. */
export function startBusy(options: Partial<SimulationOptions<never>> = {}) {
  return createSimulation(busy, { seed: 'busy', ...(options as object) })
}

/** The bundle of one tick of a script. */
export function busyBundle(tick: number, commands: readonly Command[]) {
  const orders = commands.map(([way, a, b], id) => ({
    seat: id % 2,
    id,
    bytes: busy.orderCodec.encode('do', { way, a, b }),
  }))
  return { ...emptyBundle(tick), inputs: [{ dx: tick % 4 }, undefined], orders }
}
