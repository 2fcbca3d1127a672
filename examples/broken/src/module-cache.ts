import { defineGame, order, range, single, table, u8, u32 } from 'samestep'

/** What a step from one cell to the next costs. Asked often, so it is remembered: for ever. */
const costs = new Map<number, number>()

type Cells = { readonly height: { readonly [row: number]: number } }

function costOf(cells: Cells, cell: number): number {
  let cost = costs.get(cell)
  if (cost === undefined) {
    cost = 1 + Math.abs(cells.height[cell]! - cells.height[cell + 1]!)
    costs.set(cell, cost)
  }
  return cost
}

/** A walker on a landscape that players dig in. */
export const digger = defineGame({
  id: 'broken-module-cache',
  version: 1,
  seats: { min: 1, max: 4 },
  state: {
    cells: table(64, { height: u8 }),
    walker: single({ at: u8, spent: u32 }),
  },
  orders: { dig: order({ cell: range(0, 63), depth: range(1, 9) }, { maxPerTick: 4 }) },

  setup({ state, random }) {
    for (let cell = 0; cell < 64; cell++) state.cells.add({ height: 100 + random.below(20) })
  },

  step({ state, tick, orders }) {
    const { cells, walker } = state
    for (const { data } of orders) cells.height[data.cell]! -= data.depth
    if (tick % 4 !== 0) return
    walker.spent += costOf(cells, walker.at) // ✗
    walker.at = (walker.at + 1) % 63
  },
})
