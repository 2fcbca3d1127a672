import { defineGame, derived, type GameState, order, range, table, u8 } from 'samestep'

const state = { huts: table(200, { owner: u8, size: u8.default(1) }) }

type State = GameState<{ state: typeof state }>

/** Huts and who has how many of them, counted once and then kept up to date: mostly. */
export const huts = defineGame({
  id: 'broken-stale-derived',
  version: 1,
  seats: { min: 1, max: 4 },
  state,
  derived: {
    perOwner: derived(
      (now: State) => {
        const counts = [0, 0, 0, 0]
        for (const row of now.huts) counts[now.huts.owner[row]!]! += 1
        return counts
      },
      { refresh: 'load' },
    ),
  },
  orders: {
    build: order({ size: range(1, 3) }, { maxPerTick: 2 }),
    raze: order({ hut: range(0, 199) }, { maxPerTick: 2 }),
  },

  step({ state, orders, derived }) {
    for (const order of orders) {
      if (order.type === 'build') {
        // A fourth hut costs more than anybody has.
        if (derived.perOwner[order.seat]! >= 20 || state.huts.count >= 190) continue
        state.huts.add({ owner: order.seat, size: order.data.size }) // ✎
        derived.perOwner[order.seat]! += 1
      } else if (state.huts.isAlive(order.data.hut)) {
        state.huts.remove(order.data.hut) // ✗
      }
    }
  },
})
