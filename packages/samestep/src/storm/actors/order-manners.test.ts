import { describe, expect, test } from 'vitest'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import { order } from '../../sim/game/orders/order.ts'
import { u8, u16 } from '../../sim/schema/index.ts'
import { single } from '../../sim/state/single.ts'
import { makeStormPlan } from '../plan/storm-plan.ts'
import { runStormPlan } from '../run-storm.ts'
import { OrderManners } from './order-manners.ts'

describe('an honest player', () => {
  const rated = { name: 'fire', maxPerTick: 32, perSecond: 2, burst: 4 }

  test('has no more open than may come at once, and waits until that is forgotten', () => {
    const manners = new OrderManners([rated])
    for (let shot = 0; shot < 4; shot++) {
      expect(manners.mayIssue('fire', 0)).toBe(true)
      manners.noteIssued('fire')
    }
    expect(manners.mayIssue('fire', 60_000)).toBe(false)
    manners.noteEnded('fire', 60_000)
    expect(manners.mayIssue('fire', 62_000)).toBe(false)
    expect(manners.mayIssue('fire', 63_500)).toBe(true)
  })

  test('lets no more of a kind wait than a few ticks carry out', () => {
    const manners = new OrderManners([{ name: 'resign', maxPerTick: 1, perSecond: 0, burst: 0 }])
    for (let waiting = 0; waiting < 8; waiting++) manners.noteIssued('resign')
    expect(manners.mayIssue('resign', 0)).toBe(false)
    manners.noteEnded('resign', 1)
    expect(manners.mayIssue('resign', 1)).toBe(true)
  })
})

describe('a sound game with rules for its orders', () => {
  const makeGame = (rules: object) =>
    defineGame({
      id: 'ruled',
      version: 1,
      seats: { min: 1, max: 4 },
      state: { sum: single({ value: u16 }) },
      orders: { add: order({ amount: u8 }, rules) },
      step({ state, orders }) {
        for (const { data } of orders) state.sum.value += data.amount
      },
    })

  test.each([
    ['perSecond: 2', { perSecond: 2 }],
    ['perSecond: 1, burst: 1', { perSecond: 1, burst: 1 }],
    ['maxPerTick: 1', { maxPerTick: 1 }],
  ])('%s: no storm blames an honest player', (_, rules) => {
    const game = makeGame(rules)
    for (const [seed, profile] of storms) {
      const { violation } = runStormPlan(makeStormPlan(seed, profile, { seatsMax: 4 }), { game })
      expect(violation?.message).toBeUndefined()
    }
  })
})

/** Those in which the rules were broken by players without manners. */
const storms = [
  [2, 'boundary'],
  [4, 'radioactive'],
  [5, 'stormy'],
] as const
