import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import { bool, range, u32 } from '../../src/sim/schema/index.ts'
import { table } from '../../src/sim/state/table.ts'

/** Ticks per second of the drill, unless a scene says otherwise. */
export const tickRate = 30

/** Between two ticks at normal speed. */
export const tickMs = 1_000 / tickRate

/** A game that only counts, at so many ticks per second: every shot and every order that ran, by seat. */
export function makeDrillGame(ticksPerSecond: number) {
  return defineGame({
    id: 'drill',
    version: 1,
    tickRate: ticksPerSecond,
    seats: { min: 1, max: 8 },
    state: { tally: table(8, { shots: u32, orders: u32, steps: u32 }) },
    input: { dx: range(-1, 1).default(0), shoot: bool.oneShot() },
    orders: { mark: { tag: u32 } },
    setup({ state, seats }) {
      for (let seat = 0; seat < seats; seat++) state.tally.add({})
    },
    apply({ state, seat }) {
      state.tally.orders[seat] = (state.tally.orders[seat] ?? 0) + 1
    },
    step({ state, inputs }) {
      const { tally } = state
      for (let seat = 0; seat < tally.count; seat++) {
        const input = inputs[seat]
        if (input?.shoot === true) tally.shots[seat] = (tally.shots[seat] ?? 0) + 1
        if (input !== undefined && input.dx !== 0) tally.steps[seat] = (tally.steps[seat] ?? 0) + 1
      }
    },
  })
}

/** The drill at 30 ticks per second. */
export const drillGame = makeDrillGame(tickRate)
