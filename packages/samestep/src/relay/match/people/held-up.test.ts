import { expect, test } from 'vitest'
import { HeldUp } from './held-up.ts'

function make() {
  const clock = { waitingSinceMs: Number.POSITIVE_INFINITY, heldUpMs: 0 }
  const missing: number[] = []
  const heldUp = new HeldUp(clock, { missingSeats: () => [...missing] })
  return { clock, missing, heldUp }
}

test('who holds up a match is named after 100 ms, once', () => {
  const { clock, missing, heldUp } = make()
  expect(heldUp.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
  clock.waitingSinceMs = 1_000
  missing.push(2, 5)
  expect([heldUp.wakeAtMs(), heldUp.handleTime(1_099), heldUp.seats]).toEqual([1_100, false, []])
  expect([heldUp.handleTime(1_100), heldUp.seats]).toEqual([true, [2, 5]])
  expect([heldUp.handleTime(1_150), heldUp.wakeAtMs()]).toEqual([false, Number.POSITIVE_INFINITY])
  missing.shift()
  expect([heldUp.handleTime(1_160), heldUp.seats]).toEqual([true, [5]])
})

test('it stays named over ticks that had to wait, and is forgotten with the first that had not', () => {
  const { clock, missing, heldUp } = make()
  clock.waitingSinceMs = 0
  missing.push(1)
  heldUp.handleTime(100)
  clock.waitingSinceMs = Number.POSITIVE_INFINITY
  clock.heldUpMs = 400
  expect([heldUp.noteSealed(), heldUp.seats]).toEqual([false, [1]])
  clock.heldUpMs = 0
  expect([heldUp.noteSealed(), heldUp.seats]).toEqual([true, []])
  expect(heldUp.noteSealed()).toBe(false)
})
