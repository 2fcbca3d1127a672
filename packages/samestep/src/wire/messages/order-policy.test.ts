import { expect, test } from 'vitest'
import type { MatchConfig } from './match-config.ts'
import { ordersDefaults } from './match-config.ts'
import { orderPolicyOf } from './order-policy.ts'

const kind = {
  by: 'player',
  maxBytes: 1_024,
  whenPaused: false,
  maxPerTick: 9,
  classIndex: 0,
} as const
const orderKinds = [kind, { ...kind, whenPaused: true }, { ...kind, classIndex: 30 }]

function pausedOf(changes: Partial<MatchConfig['orders']>) {
  const policy = orderPolicyOf({ orderKinds, orders: { ...ordersDefaults, ...changes } })
  return policy.map(({ runsPaused }) => runsPaused)
}

test('ORD-09 a pause lets run what says so, nothing, everything, or some classes', () => {
  expect(pausedOf({})).toEqual([false, true, false])
  expect(pausedOf({ whenPaused: 'nothing' })).toEqual([false, false, false])
  expect(pausedOf({ whenPaused: 'everything' })).toEqual([true, true, true])
  const classes = { whenPaused: 'classes', pausedClasses: 2 ** 30 } as const
  expect(pausedOf(classes)).toEqual([false, false, true])
})

test('ORD-09 classes are forbidden by their bits, the last of 31 too', () => {
  const forbidden = (forbiddenClasses: number) => {
    const orders = { ...ordersDefaults, forbiddenClasses }
    return orderPolicyOf({ orderKinds, orders }).map(({ isForbidden }) => isForbidden)
  }
  expect(forbidden(0)).toEqual([false, false, false])
  expect(forbidden(1)).toEqual([true, true, false])
  expect(forbidden(2 ** 30)).toEqual([false, false, true])
})
