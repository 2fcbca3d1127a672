import { describe, expect, test } from 'vitest'
import { defineGame } from '../sim/game/definition/define-game.ts'
import { sleepList } from '../sim/game/derived/sleep-list.ts'
import { u8, u32 } from '../sim/schema/index.ts'
import { table } from '../sim/state/table.ts'
import { checkGame } from './check-game.ts'

const grove = (isSound: boolean) =>
  defineGame({
    id: 'grove',
    version: 1,
    seats: { min: 1, max: 1 },
    state: { trees: table(8, { wakeAt: u32, age: u8 }) },
    derived: { asleep: sleepList('trees', 'wakeAt') },
    setup({ state, derived }) {
      for (let row = 0; row < 8; row++) derived.asleep.sleep(state.trees.add(), 1 + row)
    },
    step({ state, derived, tick }) {
      derived.asleep.wake(tick, (row) => {
        state.trees.age[row]! += 1
        // Behind the back of the list: it does not know that the row sleeps.
        if (isSound) derived.asleep.sleep(row, tick + 5)
        else state.trees.wakeAt[row] = tick + 5
      })
    },
  })

describe('a game whose rows sleep', () => {
  test('passes every check when only the list writes to its column', () => {
    const result = checkGame(grove(true), { ticks: 300, matchTicks: 150 })
    expect(result.failure).toBeUndefined()
  })

  test('is found by the lane derived when it does so itself', () => {
    const result = checkGame(grove(false), { ticks: 60, only: ['derived'] })
    expect(JSON.stringify(result)).toMatch(/asleep/)
    expect(result.ok).toBe(false)
  })
})
