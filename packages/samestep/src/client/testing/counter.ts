import { defineGame } from '../../sim/game/definition/define-game.ts'
import { bool, encodeRecord, i16, i32, range, u16 } from '../../sim/schema/index.ts'
import { single } from '../../sim/state/single.ts'
import type { BundleOrder } from '../../wire/ticks/bundle-codec.ts'

/** A game in which every order and input leaves a trace. */
export const counter = defineGame({
  id: 'counter',
  version: 2,
  tickRate: 20,
  seats: { min: 2, max: 4 },
  state: { sum: single({ value: i32, moved: i32, fired: u16, left: u16 }) },
  input: { dx: range(-2, 2).default(0), fire: bool.oneShot() },
  orders: { add: { amount: i16 }, boom: {} },
  options: { start: i16.default(3) },
  setup({ state, options }) {
    state.sum.value = options.start
  },
  validate({ order }) {
    return order.type !== 'add' || order.data.amount >= 0 || 'Only more'
  },
  apply({ state, order }) {
    if (order.type === 'boom') throw new Error('boom')
    state.sum.value += order.data.amount
  },
  step({ state, inputs, events }) {
    for (const { dx, fire } of inputs) {
      state.sum.moved += dx
      if (fire) state.sum.fired += 1
    }
    for (const { type } of events) if (type === 'leave') state.sum.left += 1
  },
})

/** The options of a match of {@link counter}, as they travel. */
export function optionBytes(start: number): Uint8Array {
  const options: object = { start }
  return encodeRecord(counter.optionsCodec, options as never)
}

/** An order of the client's own seat, as a relay seals it. */
export function ownOrder(number: number, bytes: Uint8Array, seat = 0): BundleOrder {
  return { seat, number: number % 256, bytes }
}

/** The bytes of an order that adds. */
export function addBytes(amount: number): Uint8Array {
  return counter.orderCodec.encode('add', { amount })
}
