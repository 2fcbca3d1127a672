import { expect, test } from 'vitest'
import type { OrderEnd } from '../../client/outbox/order-outbox.ts'
import { outboxBytesMax, outboxOrdersMax } from '../../wire/limits.ts'
import { PendingOrders } from './pending-orders.ts'

function stage() {
  const orders = new PendingOrders()
  const ends: (readonly [number, OrderEnd['result']])[] = []
  const add = (bytes = 10): number => {
    const number: number = orders.add(bytes, ({ result }) => ends.push([number, result]))
    return number
  }
  return { orders, ends, add }
}

test('an order ends once, whatever else is said of it', () => {
  const { orders, ends, add } = stage()
  const [first, second] = [add(), add()]
  orders.settle(first, { result: 'executed', tick: 3 })
  orders.settle(first, { result: 'lost' })
  orders.settle(99, { result: 'lost' })
  orders.loseAll()
  orders.loseAll()
  expect(ends).toEqual([
    [first, 'executed'],
    [second, 'lost'],
  ])
})

test('it is full by number and by bytes, and has room again when some have ended', () => {
  const { orders, add } = stage()
  const numbers = Array.from({ length: outboxOrdersMax }, () => add())
  expect(() => add()).toThrow(expect.objectContaining({ code: 'SS_OUTBOX_FULL' }))
  orders.settle(numbers[5]!, { result: 'lost' })
  add()
  orders.loseAll()
  const large = add(outboxBytesMax)
  expect(() => add()).toThrow(/16384 bytes/)
  orders.settle(large, { result: 'lost' })
  add()
})
