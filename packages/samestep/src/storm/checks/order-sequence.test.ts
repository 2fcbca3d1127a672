import { expect, test } from 'vitest'
import { makeMatchConfig, ordersDefaults } from '../../wire/messages/match-config.ts'
import { isAllowedBy, isForbidden, OrderSequence, runsInPause } from './order-sequence.ts'

const kind = { maxBytes: 2, whenPaused: false, maxPerTick: 9, classIndex: 0 } as const
const orderKinds = [
  { ...kind, by: 'player' as const },
  { ...kind, by: 'everybody' as const, whenPaused: true },
  { ...kind, by: 'relay' as const, classIndex: 30 },
]
const config = (orders = {}) => {
  const changed = { ...ordersDefaults, ...orders }
  return makeMatchConfig({ seats: 2, tickRate: 30, orderKinds, orders: changed })
}
const all = [0, 1, 2, 3].map((index) => Uint8Array.of(index))

test('ORD-10 in a pause orders go past others, which are next when it is over', () => {
  const sequence = new OrderSequence()
  sequence.noteSealed(0, false)
  sequence.noteSealed(4, true)
  expect([sequence.first(true), sequence.first(false)]).toEqual([5, 1])
  sequence.noteSealed(1, false)
  expect([sequence.first(true), sequence.first(false)]).toEqual([5, 2])
})

test('ORD-08, ORD-09 the rules of a match are read from its config', () => {
  expect(all.map((bytes) => isAllowedBy(config(), 1, bytes))).toEqual([true, true, false, false])
  expect(all.map((bytes) => isAllowedBy(config(), -2, bytes))).toEqual([false, true, false, false])
  expect(all.map((bytes) => isAllowedBy(config(), -1, bytes))).toEqual([false, false, true, false])
  expect(isAllowedBy(config(), 1, new Uint8Array(3))).toBe(false)
  const strict = config({ forbiddenClasses: 1 })
  expect(all.map((bytes) => isForbidden(strict, bytes))).toEqual([true, true, false, true])
  const paused = (orders: object) => all.map((bytes) => runsInPause(config(orders), bytes))
  expect(paused({})).toEqual([false, true, false, false])
  expect(paused({ whenPaused: 'nothing' })).toEqual([false, false, false, false])
  expect(paused({ whenPaused: 'everything' })).toEqual([true, true, true, false])
  const last = { whenPaused: 'classes', pausedClasses: 2 ** 30 }
  expect(paused(last)).toEqual([false, false, true, false])
})
