import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import { i16, i32, range } from '../../src/sim/schema/index.ts'
import { table } from '../../src/sim/state/table.ts'

/** A row of runners: enough that every input, every order and every draw shows in the state. */
export const runners = defineGame({
  id: 'runners',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 4 },
  state: { runners: table(4, { x: i32, jumps: i16, luck: i32 }) },
  input: { dx: range(-1, 1).default(0) },
  orders: { jump: {} },
  render: { runners: { x: 'lerp' } },
  setup({ state, seats }) {
    for (let seat = 0; seat < seats; seat++) state.runners.add({ x: 10 * seat })
  },
  step({ state: { runners: all }, inputs, orders, random }) {
    for (const seat of all) {
      all.x[seat]! += inputs[seat]?.dx ?? 0
      all.luck[seat] = random.below(1_000)
    }
    for (const { seat } of orders) all.jumps[seat]! += 1
  },
})
