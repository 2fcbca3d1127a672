import { expect, test } from 'vitest'
import type { OrderEnd } from '../../client/outbox/order-outbox.ts'
import { makeHandle } from './order-handle.ts'

test('a handle knows no end until its order has one, and then says it both ways', async () => {
  let settle: (end: OrderEnd) => void = () => {}
  const handle = makeHandle((given) => {
    settle = given
  })
  expect(handle.end).toBeUndefined()
  const end: OrderEnd = { result: 'executed', tick: 7 }
  settle(end)
  expect(handle.end).toBe(end)
  expect(await handle.settled).toBe(end)
})

test('an order that is lost resolves: nobody has to catch anything', async () => {
  const handle = makeHandle((settle) => settle({ result: 'lost' }))
  expect(await handle.settled).toEqual({ result: 'lost' })
})

test('a misuse throws at once, from the call itself', () => {
  expect(() =>
    makeHandle(() => {
      throw new RangeError('no such order')
    }),
  ).toThrow('no such order')
})
