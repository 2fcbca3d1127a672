/** Type tests of game definitions: compiled, never run. What must not compile says so. */

import {
  bool,
  defineGame,
  fixed,
  type GameState,
  i16,
  list,
  oneOf,
  order,
  plain,
  ref,
  type StepContext,
  seat,
  single,
  struct,
  table,
  u8,
  u16,
} from '../../src/index.ts'
import { type Bundle, createSimulation } from '../../src/sim/debug/index.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function same<_T extends true>(): void {}

const state = {
  units: table(100, { x: fixed, hp: i16, owner: seat, old: u8.until(1) }),
  score: single({ wave: u16, over: bool, mode: oneOf(['calm', 'storm']) }),
  board: plain(struct({ cells: list(u8, 9) })),
}

export const game = defineGame({
  id: 'types',
  version: 1,
  seats: { min: 1, max: 2 },
  state,
  input: { up: bool, aim: fixed },
  orders: { move: { units: list(ref('units'), 5), x: fixed }, quit: order({}, { maxPerTick: 1 }) },
  options: { size: u8 },
  random: ['loot', 'weather'],
  render: { units: { x: 'lerp' } },
  setup({ state, options, random }) {
    same<Equal<typeof options.size, number>>()
    state.units.add({ x: 1, hp: 2 })
    random.stream('loot').below(3)
    // @ts-expect-error no such stream
    random.stream('fish')
    // @ts-expect-error no such column
    state.units.add({ mana: 1 })
    // @ts-expect-error a retired field has no column
    state.units.add({ old: 1 })
    // @ts-expect-error not a mode
    state.score.mode = 'fog'
    state.score.over = true
    state.board.cells.push(1)
  },
  validate({ state, order }) {
    if (order.type === 'move') same<Equal<typeof order.data.units, number[]>>()
    // @ts-expect-error a view is read-only
    state.units.x[0] = 1
    // @ts-expect-error a view has no add
    state.units.add({})
    // @ts-expect-error a view is read-only all the way down
    state.board.cells.push(1)
    // @ts-expect-error a view is read-only
    state.score.wave = 3
    return true
  },
  step({ orders, inputs }) {
    for (const order of orders) {
      same<Equal<typeof order.type, 'move' | 'quit'>>()
      // @ts-expect-error no such order
      if (order.type === 'fly') return
      // @ts-expect-error not before its type is known
      order.data.x
    }
    same<Equal<(typeof inputs)[number]['up'], boolean>>()
  },
})

const simulation = createSimulation(game, { seed: 1, options: { size: 3 } })
// @ts-expect-error no such option
createSimulation(game, { seed: 1, options: { colour: 3 } })

same<Equal<ReturnType<(typeof simulation.blend)['units']['x']>, number>>()
// @ts-expect-error not declared in render
simulation.blend.units.hp
// @ts-expect-error the view cannot be written to
simulation.view.units.hp[0] = 1
simulation.state.units.hp[0] = 1

const bundle: Bundle<{ up: boolean; aim: number }> = { tick: 1, events: [], inputs: [], orders: [] }
simulation.step(bundle)
// @ts-expect-error a wrong input
simulation.step({ ...bundle, inputs: [{ down: true }] })

/** Systems in files of their own name the shape once. */
type Tick = StepContext<{ state: typeof state }>
export function movement({ state }: Tick): void {
  state.units.x[0]! += 1
}
export type State = GameState<{ state: typeof state }>

// @ts-expect-error a column of the table that does not exist
defineGame({ ...game.definition, render: { units: { z: 'lerp' } } })

/** Right but for its state. The texts of these errors are in types-packed.test.ts. */
const rules = { id: 'hints', version: 1, seats: { min: 1, max: 1 }, step() {} } as const
// @ts-expect-error a field is no part of a state
defineGame({ ...rules, state: { n: u8 } })
// @ts-expect-error nor a record of fields
defineGame({ ...rules, state: { unit: { x: fixed } } })
// @ts-expect-error nor a value
defineGame({ ...rules, state: { n: 5 } })
