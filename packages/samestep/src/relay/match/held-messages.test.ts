import { expect, test } from 'vitest'
import { HeldMessages, heldMax } from './held-messages.ts'

test('messages go out when they are due, in sequence', () => {
  const held = new HeldMessages()
  held.add(Uint8Array.of(1), 100)
  held.add(Uint8Array.of(2), 200)
  expect(held.take(99)).toBeUndefined()
  expect(held.take(150)).toEqual(Uint8Array.of(1))
  expect(held.take(150)).toBeUndefined()
  expect(held.take(200)).toEqual(Uint8Array.of(2))
  expect(held.count).toBe(0)
})

test('of too many the oldest is lost, and none is early', () => {
  const held = new HeldMessages()
  for (let number = 0; number <= heldMax; number++) held.add(Uint8Array.of(number % 256), 1_000)
  expect(held.count).toBe(heldMax)
  expect(held.take(999)).toBeUndefined()
  expect(held.take(1_000)).toEqual(Uint8Array.of(1))
})
