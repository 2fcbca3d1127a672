import { custom, defineGame, oneOf, order, range, single, u32 } from 'samestep'

/**
 * Falling sand: a game with memory of its own, as a physics engine or a WebAssembly module has it.
 * The engine only asks it for its bytes.
 */

export const width = 160
export const height = 100

const materials = ['air', 'sand', 'water', 'stone'] as const

const air = 0
const sand = 1
const water = 2

/** The cells, line by line. */
export class World {
  readonly cells = new Uint8Array(width * height)

  at(x: number, y: number): number {
    if (x < 0 || x >= width || y >= height) return 3
    return this.cells[y * width + x]!
  }

  swap(from: number, to: number): void {
    const kept = this.cells[from]!
    this.cells[from] = this.cells[to]!
    this.cells[to] = kept
  }
}

export const sandbox = defineGame({
  id: 'sand',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 4 },
  state: {
    world: custom({
      create: () => new World(),
      save: (world) => world.cells.slice(),
      load(bytes, world) {
        if (bytes.length !== width * height) throw new Error(`${bytes.length} cells`)
        if (bytes.some((cell) => cell >= materials.length)) throw new Error('an unknown material')
        world.cells.set(bytes)
        return world
      },
      // A leaf for every ten lines: a difference is found to within that.
      *leaves(world) {
        for (let line = 0; line < height; line += 10) {
          const bytes = world.cells.subarray(line * width, (line + 10) * width)
          yield { label: `lines-${line}`, bytes }
        }
      },
    }),
    count: single({ poured: u32 }),
  },
  orders: {
    pour: order(
      { x: range(0, width - 1), y: range(0, height - 1), what: oneOf(materials) },
      { maxPerTick: 8 },
    ),
  },
  random: ['drift'],

  step({ state, orders, random }) {
    const { world, count } = state
    for (const { data } of orders) {
      for (let x = Math.max(data.x - 2, 0); x <= Math.min(data.x + 2, width - 1); x++) {
        world.cells[data.y * width + x] = materials.indexOf(data.what)
        count.poured += 1
      }
    }
    const drift = random.stream('drift')
    // Bottom up, so that a grain falls one line per tick and not through the whole world.
    for (let y = height - 2; y >= 0; y--) {
      for (let x = 0; x < width; x++) fall(world, x, y, drift.below(2) === 0 ? -1 : 1)
    }
  },
})

function fall(world: World, x: number, y: number, side: number): void {
  const material = world.at(x, y)
  if (material !== sand && material !== water) return
  const here = y * width + x
  if (isLighter(world.at(x, y + 1), material)) world.swap(here, here + width)
  else if (isLighter(world.at(x + side, y + 1), material)) world.swap(here, here + width + side)
  else if (material === water && world.at(x + side, y) === air) world.swap(here, here + side)
}

function isLighter(below: number, material: number): boolean {
  return below === air || (material === sand && below === water)
}
