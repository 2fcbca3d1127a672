import { defineGame } from '../../packages/samestep/src/sim/game/definition/define-game.ts'
import { bool, u32 } from '../../packages/samestep/src/sim/schema/index.ts'
import { table } from '../../packages/samestep/src/sim/state/table.ts'

/** Players of one match. */
export const seatCount = 8

/** A game in which every order is numbered by who issued it, and everything leaves a trace. */
export const soakGame = defineGame({
  id: 'soak',
  version: 1,
  tickRate: 30,
  seats: { min: seatCount, max: seatCount },
  state: { seats: table(seatCount, { marks: u32, sum: u32, held: u32, luck: u32 }) },
  input: { fire: bool },
  orders: { mark: { number: u32 } },
  setup({ state }) {
    for (let seat = 0; seat < seatCount; seat++) state.seats.add()
  },
  step({ state, inputs, orders, random }) {
    inputs.forEach(({ fire }, seat) => {
      if (fire) state.seats.held[seat]! += 1
    })
    for (const { seat, data } of orders) {
      state.seats.marks[seat]! += 1
      state.seats.sum[seat] = (state.seats.sum[seat]! * 31 + data.number) >>> 0
      state.seats.luck[seat] = random.below(1_000_000)
    }
  },
})
