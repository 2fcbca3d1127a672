import { describe, expect, test } from 'vitest'
import { defineGame } from '../sim/game/definition/define-game.ts'
import { createSimulation } from '../sim/game/run/simulation.ts'
import { bool, i32, list, struct, u8 } from '../sim/schema/index.ts'
import { plain } from '../sim/state/plain.ts'
import { single } from '../sim/state/single.ts'
import { table } from '../sim/state/table.ts'
import { injectDesync } from './inject.ts'

const game = defineGame({
  id: 'inject',
  version: 1,
  tickRate: 10,
  seats: { min: 1, max: 1 },
  state: {
    units: table(10, { hp: u8, x: i32, alive: bool }),
    score: single({ sum: i32, over: bool }),
    board: plain(struct({ hands: list(list(u8, 4), 4) })),
  },
  orders: {},
  setup({ state }) {
    for (let row = 0; row < 5; row++) state.units.add({ hp: row, alive: true })
    state.board.hands.push([7, 8])
  },
  step({ state }) {
    state.score.sum += 2
  },
})

function make(development: boolean) {
  return createSimulation(game, { seed: 1, development })
}

function step(simulation: ReturnType<typeof make>): void {
  const tick = simulation.matchTick + 1
  simulation.step({ tick, events: [], inputs: [{}], orders: [] })
}

describe.each([true, false])('with development %j', (development) => {
  test.each([
    'units.hp[3]',
    'units.hp[0]',
    'units.x[1]',
    'score.sum',
    'score.over',
    'board.hands[0][1]',
  ])('%s goes its own way from the next tick on, and no guard complains', (path) => {
    const [mine, theirs] = [make(development), make(development)]
    for (const simulation of [mine, theirs]) step(simulation)
    expect(mine.syncHash()).toBe(theirs.syncHash())
    expect(injectDesync(mine, path)).toBe(2)
    for (const simulation of [mine, theirs]) step(simulation)
    expect(mine.syncHashAt(1)).toBe(theirs.syncHashAt(1))
    expect(mine.syncHashAt(2)).not.toBe(theirs.syncHashAt(2))
  })
})

test.each([
  '',
  'units',
  'units.hp',
  'units.nope[1]',
  'nowhere.at[1]',
  'board.hands[0]',
  'board.hands[9][9]',
])('SS_BAD_ARGUMENT for %j', (path) => {
  expect(() => injectDesync(make(false), path)).toThrow(`Cannot change '${path}'`)
})
