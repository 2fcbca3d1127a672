import { f64, State, table } from '../internals.ts'
import type { Suite } from '../types.ts'

/**
 * One tick of flocking, three times over: hand-written typed arrays, a table, an array of objects. The
 * arithmetic is the same; only where the numbers are kept differs.
 */
const count = 10_000
const size = 1_000
const cell = 10
const cells = size / cell
const radius = 10

function drawer(): () => number {
  let word = 12_345
  return () => {
    word = (Math.imul(word, 1_664_525) + 1_013_904_223) >>> 0
    return word / 2 ** 32
  }
}

type Grid = { readonly starts: Int32Array; readonly rows: Int32Array; readonly cellOf: Int32Array }

function makeGrid(): Grid {
  return {
    starts: new Int32Array(cells * cells + 1),
    rows: new Int32Array(count),
    cellOf: new Int32Array(count),
  }
}

function cellAt(x: number, y: number): number {
  return (
    Math.min(cells - 1, Math.floor(y / cell)) * cells + Math.min(cells - 1, Math.floor(x / cell))
  )
}

function finishGrid({ starts, rows, cellOf }: Grid): void {
  for (let index = 1; index < starts.length; index++) starts[index]! += starts[index - 1]!
  for (let index = starts.length - 1; index > 0; index--) starts[index] = starts[index - 1]!
  for (let row = 0; row < count; row++) rows[starts[cellOf[row]! + 1]!++] = row
}

function wrap(value: number): number {
  return value < 0 ? value + size : value >= size ? value - size : value
}

type Columns = {
  readonly x: Float64Array
  readonly y: Float64Array
  readonly vx: Float64Array
  readonly vy: Float64Array
}

function stepArrays({ x, y, vx, vy }: Columns, grid: Grid): void {
  grid.starts.fill(0)
  for (let row = 0; row < count; row++) {
    const at = cellAt(x[row]!, y[row]!)
    grid.cellOf[row] = at
    grid.starts[at + 1]! += 1
  }
  finishGrid(grid)
  for (let row = 0; row < count; row++) {
    let ax = 0
    let ay = 0
    let near = 0
    const cx = Math.floor(x[row]! / cell)
    const cy = Math.floor(y[row]! / cell)
    for (let line = Math.max(cy - 1, 0); line <= Math.min(cy + 1, cells - 1); line++) {
      const from = grid.starts[line * cells + Math.max(cx - 1, 0)]!
      const to = grid.starts[line * cells + Math.min(cx + 1, cells - 1) + 1]!
      for (let index = from; index < to; index++) {
        const other = grid.rows[index]!
        const dx = x[other]! - x[row]!
        const dy = y[other]! - y[row]!
        const squared = dx * dx + dy * dy
        if (squared > radius * radius || squared === 0) continue
        const distance = Math.sqrt(squared)
        ax += vx[other]! * 0.01 - dx / distance
        ay += vy[other]! * 0.01 - dy / distance
        near += 1
      }
    }
    if (near > 0) {
      vx[row] = vx[row]! * 0.95 + (ax / near) * 0.05
      vy[row] = vy[row]! * 0.95 + (ay / near) * 0.05
    }
  }
  for (let row = 0; row < count; row++) {
    x[row] = wrap(x[row]! + vx[row]!)
    y[row] = wrap(y[row]! + vy[row]!)
  }
}

function makeTable() {
  const state = new State({ units: table(count, { x: f64, y: f64, vx: f64, vy: f64 }) })
  return state.live.units
}

function stepTable(units: ReturnType<typeof makeTable>, grid: Grid): void {
  const { x, y, vx, vy } = units
  grid.starts.fill(0)
  for (let row = units.first(); row >= 0; row = units.next(row)) {
    const at = cellAt(x[row]!, y[row]!)
    grid.cellOf[row] = at
    grid.starts[at + 1]! += 1
  }
  finishGrid(grid)
  for (let row = units.first(); row >= 0; row = units.next(row)) {
    let ax = 0
    let ay = 0
    let near = 0
    const cx = Math.floor(x[row]! / cell)
    const cy = Math.floor(y[row]! / cell)
    for (let line = Math.max(cy - 1, 0); line <= Math.min(cy + 1, cells - 1); line++) {
      const from = grid.starts[line * cells + Math.max(cx - 1, 0)]!
      const to = grid.starts[line * cells + Math.min(cx + 1, cells - 1) + 1]!
      for (let index = from; index < to; index++) {
        const other = grid.rows[index]!
        const dx = x[other]! - x[row]!
        const dy = y[other]! - y[row]!
        const squared = dx * dx + dy * dy
        if (squared > radius * radius || squared === 0) continue
        const distance = Math.sqrt(squared)
        ax += vx[other]! * 0.01 - dx / distance
        ay += vy[other]! * 0.01 - dy / distance
        near += 1
      }
    }
    if (near > 0) {
      vx[row] = vx[row]! * 0.95 + (ax / near) * 0.05
      vy[row] = vy[row]! * 0.95 + (ay / near) * 0.05
    }
  }
  for (let row = units.first(); row >= 0; row = units.next(row)) {
    x[row] = wrap(x[row]! + vx[row]!)
    y[row] = wrap(y[row]! + vy[row]!)
  }
}

type Bird = { x: number; y: number; vx: number; vy: number }

function stepObjects(birds: Bird[], grid: Grid): void {
  grid.starts.fill(0)
  for (let row = 0; row < count; row++) {
    const at = cellAt(birds[row]!.x, birds[row]!.y)
    grid.cellOf[row] = at
    grid.starts[at + 1]! += 1
  }
  finishGrid(grid)
  for (const bird of birds) {
    let ax = 0
    let ay = 0
    let near = 0
    const cx = Math.floor(bird.x / cell)
    const cy = Math.floor(bird.y / cell)
    for (let line = Math.max(cy - 1, 0); line <= Math.min(cy + 1, cells - 1); line++) {
      const from = grid.starts[line * cells + Math.max(cx - 1, 0)]!
      const to = grid.starts[line * cells + Math.min(cx + 1, cells - 1) + 1]!
      for (let index = from; index < to; index++) {
        const other = birds[grid.rows[index]!]!
        const dx = other.x - bird.x
        const dy = other.y - bird.y
        const squared = dx * dx + dy * dy
        if (squared > radius * radius || squared === 0) continue
        const distance = Math.sqrt(squared)
        ax += other.vx * 0.01 - dx / distance
        ay += other.vy * 0.01 - dy / distance
        near += 1
      }
    }
    if (near > 0) {
      bird.vx = bird.vx * 0.95 + (ax / near) * 0.05
      bird.vy = bird.vy * 0.95 + (ay / near) * 0.05
    }
  }
  for (const bird of birds) {
    bird.x = wrap(bird.x + bird.vx)
    bird.y = wrap(bird.y + bird.vy)
  }
}

/** The same flock for every contender. */
function makeBirds(): Bird[] {
  const draw = drawer()
  return Array.from({ length: count }, () => ({
    x: draw() * size,
    y: draw() * size,
    vx: draw() - 0.5,
    vy: draw() - 0.5,
  }))
}

/** Objects as games make them: over time, between others, so that neighbours in memory are not. */
function scatter(birds: Bird[]): Bird[] {
  const draw = drawer()
  const scattered = birds.map((bird) => ({ ...bird }))
  for (let index = scattered.length - 1; index > 0; index--) {
    const other = Math.floor(draw() * (index + 1))
    const kept = scattered[index]!
    scattered[index] = scattered[other]!
    scattered[other] = kept
  }
  return scattered
}

export const suites: readonly Suite[] = [
  {
    name: 'flocking',
    work: 'one tick of 10 000 birds with about 3 neighbours each',
    baseline: 'hand-written typed arrays',
    targets: [
      { of: 'table', against: 'hand-written typed arrays', atMost: 1.05 },
      { of: 'array of objects', against: 'table', atLeast: 1.5 },
    ],
    prepare() {
      const birds = makeBirds()
      const columns: Columns = {
        x: Float64Array.from(birds, ({ x }) => x),
        y: Float64Array.from(birds, ({ y }) => y),
        vx: Float64Array.from(birds, ({ vx }) => vx),
        vy: Float64Array.from(birds, ({ vy }) => vy),
      }
      const units = makeTable()
      for (const bird of birds) units.add(bird)
      const objects = scatter(birds)
      const grids = [makeGrid(), makeGrid(), makeGrid()] as const
      return {
        contenders: {
          'hand-written typed arrays': () => stepArrays(columns, grids[0]),
          table: () => stepTable(units, grids[1]),
          'array of objects': () => stepObjects(objects, grids[2]),
        },
      }
    },
  },
]
