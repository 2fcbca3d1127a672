/** The page of the overlay's test: a match of its own, and one that pretends. */
import { defineGame, i32, playLocal, single } from '../../src/index.ts'
import type { OverlayMatch } from '../../src/overlay/index.ts'
import { showOverlay } from '../../src/overlay/index.ts'
import { Conditioner } from '../../src/transport/conditioner/conditioner.ts'

const game = defineGame({
  id: 'overlay-test',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 2 },
  state: { count: single({ value: i32 }) },
  orders: { fail: {} },
  setup() {},
  step({ state, orders }) {
    state.count.value += 1
    if (orders.length > 0) throw new Error('the <b>step</b> failed')
  },
})

const match = playLocal(game, { seed: 1, name: '<i>Ada</i>', seats: 1 })
const conditioner = new Conditioner()

/** The same match, in a state that is hard to bring about. */
function pretend(state: ReturnType<OverlayMatch['playState']>): OverlayMatch {
  return new Proxy(match as OverlayMatch, {
    get(target, name) {
      if (name === 'playState') return () => state
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

Object.assign(globalThis, { match, conditioner, pretend, showOverlay })
setInterval(() => match.advance(performance.now()), 16)
