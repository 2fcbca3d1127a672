import { defineGame } from '../../sim/game/definition/define-game.ts'
import { bool, bytes, u32 } from '../../sim/schema/index.ts'
import { single } from '../../sim/state/single.ts'

const axes = {
  a: u32,
  b: u32,
  c: u32,
  d: u32,
  e: u32,
  f: u32,
  g: u32,
  h: u32,
  i: u32,
  j: u32,
  k: u32,
  l: u32,
} as const

/**
 * A game whose inputs and orders are as large as they come, so that ticks outgrow datagrams and turns
 * have to be cut. It only adds everything up.
 */
export const wideGame = defineGame({
  id: 'storm-wide',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 40 },
  state: { sum: single({ orders: u32, inputs: u32 }) },
  input: { ...axes, fire: bool.oneShot() },
  orders: {
    haul: { load: bytes(1_015) },
    heave: { load: bytes(600) },
    nudge: { by: u32 },
  },
  setup() {},
  apply({ state, seat, order }) {
    const { sum } = state
    const part = order.type === 'nudge' ? order.data.by : hashOf(order.data.load)
    sum.orders = (Math.imul(sum.orders ^ part, 0x9e37_79b1) + seat) >>> 0
  },
  step({ state, inputs }) {
    const { sum } = state
    for (const input of inputs) {
      const part = input.a ^ input.f ^ input.l ^ (input.fire ? 1 : 0)
      sum.inputs = (Math.imul(sum.inputs, 31) + part) >>> 0
    }
  },
})

function hashOf(load: Uint8Array): number {
  let hash = load.length
  for (const byte of load) hash = (Math.imul(hash, 31) + byte) >>> 0
  return hash
}
