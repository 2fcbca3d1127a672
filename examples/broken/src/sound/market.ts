/**
 * A sound game with everything that is easy to get wrong, done right: objects in plain state, derived
 * data that reuses its memory, a validate that only reads, scratch in a module that is filled first.
 */
import {
  bool,
  defineGame,
  derived,
  type GameState,
  list,
  order,
  plain,
  range,
  single,
  struct,
  table,
  u8,
  u16,
  u32,
} from 'samestep'

const stallsMax = 24

const state = {
  stalls: table(stallsMax, { owner: u8, price: u16, isOpen: bool }),
  ledger: plain(struct({ sales: list(struct({ stall: u8, price: u16 }), 16) })),
  market: single({ day: u32, turnover: u32 }),
}

type State = GameState<{ state: typeof state }>

/** Filled before every use: what the last tick, or another match, left in it does not matter. */
const ranked: number[] = []

/** Stalls, and customers who go to the cheapest. */
export const marketGame = defineGame({
  id: 'sound-market',
  version: 1,
  seats: { min: 1, max: 4 },
  options: { customers: range(1, 5).default(3) },
  state,
  derived: {
    perOwner: derived((now: State, last: Uint16Array | undefined) => {
      const counts = last ?? new Uint16Array(4)
      counts.fill(0)
      for (const row of now.stalls) counts[now.stalls.owner[row]!]! += 1
      return counts
    }),
  },
  orders: {
    build: order({ price: range(1, 500) }, { maxPerTick: 1 }),
    price: order({ stall: range(0, stallsMax - 1), price: range(1, 500) }, { maxPerTick: 2 }),
    close: order({ stall: range(0, stallsMax - 1) }, { maxPerTick: 1 }),
  },

  validate({ state, order, derived, seat }) {
    if (order.type === 'build') {
      return derived.perOwner[seat]! < 6 && state.stalls.count < stallsMax
    }
    const { stall } = order.data
    return state.stalls.isAlive(stall) && state.stalls.owner[stall] === seat
  },

  step({ state, orders, options, random }) {
    const { stalls, ledger, market } = state
    for (const order of orders) {
      if (order.type === 'build') {
        if (stalls.count < stalls.rowsMax) {
          stalls.add({ owner: order.seat, price: order.data.price, isOpen: true })
        }
      } else if (!stalls.isAlive(order.data.stall)) continue
      else if (order.type === 'price') stalls.price[order.data.stall] = order.data.price
      else stalls.remove(order.data.stall)
    }
    ranked.length = 0
    ranked.push(...stalls)
    ranked.sort((a, b) => stalls.price[a]! - stalls.price[b]! || a - b)
    for (const stall of ranked.slice(0, options.customers)) {
      if (!random.chance(1, 2)) continue
      const price = stalls.price[stall]!
      market.turnover += price
      ledger.sales.push({ stall, price })
      if (ledger.sales.length > 16) ledger.sales.shift()
    }
    market.day += 1
  },
})
