import { defineGame, derived, f64, type GameState, order, range, single, table } from 'samestep'

const state = {
  stones: table(64, { weight: f64 }),
  scale: single({ total: f64 }),
}

type State = GameState<{ state: typeof state }>

const sorted = (rows: readonly number[]) => [...rows].sort((a, b) => a - b).join()

/** A scale that adds up weights in the sequence in which the stones came: after a load, by row. */
export const scale = defineGame({
  id: 'broken-float-sequence',
  version: 1,
  seats: { min: 1, max: 4 },
  state,
  derived: {
    pile: derived((now: State): number[] => [...now.stones], {
      refresh: 'load',
      // The same stones: what does it matter in which sequence?
      equals: (a, b) => sorted(a) === sorted(b),
    }),
  },
  orders: {
    put: order({ grams: range(1, 997) }, { maxPerTick: 2 }),
    take: order({ stone: range(0, 63) }, { maxPerTick: 2 }),
  },

  step({ state, orders, derived }) {
    const { stones, scale } = state
    const { pile } = derived
    for (const order of orders) {
      if (order.type === 'take') {
        const at = pile.indexOf(order.data.stone)
        if (at < 0) continue
        pile.splice(at, 1)
        stones.remove(order.data.stone)
      } else if (stones.count < 60) pile.push(stones.add({ weight: order.data.grams / 7 }))
    }
    let total = 0
    for (const row of pile) total += stones.weight[row]!
    scale.total = total // ✗
  },
})
