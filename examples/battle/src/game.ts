import {
  batch,
  defineGame,
  derived,
  fixed,
  type GameState,
  i16,
  list,
  order,
  range,
  ref,
  runBatch,
  SpatialGrid,
  type StepContext,
  seat,
  single,
  table,
  u8,
  u16,
} from 'samestep'

/**
 * Armies of hundreds: a game of orders on tables. All numbers are fixed-point, so that no rounding
 * can differ between machines; the grid is derived data; healing is spread over fifteen ticks.
 */

const mapSize = fixed.fromInt(128)
const speed = fixed.from(0.25)
const sight = fixed.fromInt(3)
const spacing = fixed.from(0.75)
const reloadTicks = 20

const state = {
  units: table(4_000, {
    x: fixed,
    y: fixed,
    goalX: fixed,
    goalY: fixed,
    hp: i16.default(100),
    owner: seat,
    reload: u8,
    target: ref('units'),
  }),
  score: table(8, { kills: u16, lost: u16 }),
  healing: batch(),
  battle: single({ winner: range(-1, 7).default(-1) }),
}

const orders = {
  move: { units: list(ref('units'), 200), x: fixed, y: fixed },
  resign: order({}, { whenPaused: true, maxPerTick: 1 }),
}

const options = { unitsPerSeat: range(1, 500).default(500) }

type State = GameState<{ state: typeof state }>
type Tick = StepContext<{ state: typeof state; derived: typeof derivedData }>

const derivedData = {
  grid: derived((now: State, old: SpatialGrid | undefined) => {
    const grid = old ?? new SpatialGrid({ cellSize: sight, columns: 43, lines: 43 })
    grid.rebuild(now.units, now.units.x, now.units.y)
    return grid
  }),
}

/** Rows that a query found. Scratch, not state: it is filled before it is read, in every use. */
const nearby = new Int32Array(32)

function targeting({ state, derived, tick }: Tick): void {
  const { units } = state
  for (let row = units.first(); row >= 0; row = units.next(row)) {
    // Looking around is dear and nobody notices a quarter of a second.
    if ((row + tick) % 8 !== 0) continue
    const count = derived.grid.query(units.x[row]!, units.y[row]!, sight, nearby)
    units.target[row] = 0
    for (let index = 0; index < count; index++) {
      const other = nearby[index]!
      if (units.owner[other] !== units.owner[row]) {
        units.target[row] = units.refOf(other)
        break
      }
    }
  }
}

function movement({ state, derived }: Tick): void {
  const { units } = state
  const { x, y, goalX, goalY, target } = units
  for (let row = units.first(); row >= 0; row = units.next(row)) {
    if (target[row] !== 0) continue
    let dx = fixed.sub(goalX[row]!, x[row]!)
    let dy = fixed.sub(goalY[row]!, y[row]!)
    const far = fixed.length(dx, dy)
    if (far > speed) {
      dx = fixed.div(fixed.mul(dx, speed), far)
      dy = fixed.div(fixed.mul(dy, speed), far)
    }
    const count = derived.grid.query(x[row]!, y[row]!, spacing, nearby)
    for (let index = 0; index < count; index++) {
      const other = nearby[index]!
      if (other === row) continue
      dx += x[row]! > x[other]! ? 2_000 : -2_000
      dy += y[row]! > y[other]! ? 2_000 : -2_000
    }
    x[row] = fixed.clamp(fixed.add(x[row]!, dx), 0, mapSize)
    y[row] = fixed.clamp(fixed.add(y[row]!, dy), 0, mapSize)
  }
}

function combat({ state, random }: Tick): void {
  const { units, score } = state
  for (let row = units.first(); row >= 0; row = units.next(row)) {
    if (units.reload[row]! > 0) {
      units.reload[row]! -= 1
      continue
    }
    // A target that died since is told from a unit that took over its row.
    const victim = units.rowOf(units.target[row]!)
    if (victim < 0) continue
    units.reload[row] = reloadTicks
    units.hp[victim]! -= random.between(10, 30)
    if (units.hp[victim]! > 0) continue
    score.kills[units.owner[row]!]! += 1
    score.lost[units.owner[victim]!]! += 1
    units.remove(victim)
  }
}

function healing({ state }: Tick): void {
  const { hp } = state.units
  runBatch(state.healing, state.units, 15, (row) => {
    if (hp[row]! < 100) hp[row]! += 1
  })
}

function victory({ state, seats }: Tick): void {
  if (state.battle.winner >= 0 || seats === 1) return
  const alive = new Set<number>()
  for (const row of state.units) alive.add(state.units.owner[row]!)
  const [winner] = alive
  if (alive.size === 1 && winner !== undefined) state.battle.winner = winner
}

export const battle = defineGame({
  id: 'battle',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 8 },
  state,
  orders,
  options,
  derived: derivedData,
  render: { units: { x: 'lerp', y: 'lerp', hp: 'snap' } },

  setup({ state, seats, options, random }) {
    for (let owner = 0; owner < seats; owner++) {
      state.score.add()
      const left = fixed.fromInt(8 + 56 * (owner % 3))
      const top = fixed.fromInt(8 + 40 * Math.floor(owner / 3))
      for (let unit = 0; unit < options.unitsPerSeat; unit++) {
        const x = left + random.below(fixed.fromInt(24))
        const y = top + random.below(fixed.fromInt(24))
        state.units.add({ x, y, goalX: x, goalY: y, owner })
      }
    }
  },

  validate({ state, seat, order }) {
    if (order.type !== 'move') return true
    const { units } = state
    for (const unit of order.data.units) {
      const row = units.rowOf(unit)
      if (row >= 0 && units.owner[row] !== seat) return 'That unit is not yours'
    }
    return true
  },

  apply({ state, seat, order }) {
    const { units } = state
    if (order.type === 'resign') {
      for (const row of units) if (units.owner[row] === seat) units.remove(row)
      return
    }
    for (const unit of order.data.units) {
      // Units that died while the order was under way are simply no longer there.
      const row = units.rowOf(unit)
      if (row < 0) continue
      units.goalX[row] = fixed.clamp(order.data.x, 0, mapSize)
      units.goalY[row] = fixed.clamp(order.data.y, 0, mapSize)
    }
  },

  systems: [targeting, movement, combat, healing, victory],
})
