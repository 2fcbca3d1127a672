import { defineGame } from '../../sim/game/definition/define-game.ts'
import type { GameDefinition } from '../../sim/game/definition/definition.ts'
import { bool, i16, range, ref, u8, u16 } from '../../sim/schema/index.ts'
import { single } from '../../sim/state/single.ts'
import { table } from '../../sim/state/table.ts'

const state = {
  units: table(24, { x: i16, hp: u8.default(100), owner: u8 }),
  board: single({ moves: u16, spawns: u16 }),
}

const orders = {
  move: { unit: ref('units'), dx: range(-3, 3) },
  spawn: { x: range(0, 99) },
}

const input = { left: bool, fire: bool.oneShot() }

type Rules = Pick<
  // biome-ignore lint/suspicious/noExplicitAny: the rules of tests write what they should not.
  GameDefinition<any, any, any, any, never, any, any>,
  'step' | 'validate' | 'apply' | 'derived' | 'systems'
>

/** A small sound game with orders, inputs and randomness; tests put other rules in. */
export function makeCounters(rules: Partial<Rules> = {}) {
  return defineGame({
    id: 'counters',
    version: 1,
    seats: { min: 1, max: 4 },
    state,
    orders,
    input,
    options: { start: range(1, 4).default(2) },
    setup({ state, seats, options }) {
      for (let owner = 0; owner < seats; owner++) {
        for (let count = 0; count < options.start; count++) state.units.add({ owner })
      }
    },
    step({ state, orders, inputs, random }) {
      const { units, board } = state
      for (const order of orders) {
        if (order.type === 'spawn') {
          if (units.count === units.rowsMax) continue
          units.add({ x: order.data.x, owner: order.seat })
          board.spawns += 1
          continue
        }
        const row = units.rowOf(order.data.unit)
        if (row < 0) continue
        units.x[row]! += order.data.dx
        board.moves += 1
      }
      for (const row of units) {
        if (inputs[units.owner[row]!]?.fire === true) units.hp[row]! -= random.below(2)
      }
    },
    ...(rules as object),
  })
}
