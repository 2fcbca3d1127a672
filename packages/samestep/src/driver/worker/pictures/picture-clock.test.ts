import { expect, test } from 'vitest'
import { PictureClock } from './picture-clock.ts'

/** The other thread's clock began this long after ours. */
const offsetMs = 5_000

/** A tick that was run at a time of the other thread, at 50 ms each. */
function motionAt(tick: number, atMs: number) {
  return { head: tick, atMs, ticksPerMs: 1 / 50 }
}

test('the picture moves with the other thread’s clock, whenever its own began', () => {
  const clock = new PictureClock()
  clock.note(7, motionAt(7, 100), 100, offsetMs + 100)
  expect(clock.alpha(offsetMs + 100)).toBe(0)
  expect(clock.alpha(offsetMs + 125)).toBeCloseTo(0.5, 9)
  expect(clock.alpha(offsetMs + 500)).toBe(1)
})

test('a message that was slow does not slow down the picture', () => {
  const clock = new PictureClock()
  clock.note(1, motionAt(1, 100), 100, offsetMs + 101)
  // The page was busy for 30 ms when this one came.
  clock.note(2, motionAt(2, 150), 150, offsetMs + 180)
  expect(clock.alpha(offsetMs + 181)).toBeCloseTo(0.6, 9)
})

test('it never goes back while the tick is the same, and begins anew with the next', () => {
  const clock = new PictureClock()
  clock.note(3, motionAt(3, 100), 100, 100)
  expect(clock.alpha(140)).toBeCloseTo(0.8, 9)
  expect(clock.alpha(120)).toBeCloseTo(0.8, 9)
  clock.note(3, { head: 3.1, atMs: 110, ticksPerMs: 0 }, 141, 141)
  expect(clock.alpha(150)).toBeCloseTo(0.8, 9)
  clock.note(4, motionAt(4, 150), 150, 151)
  // The frame began before the tick was run.
  expect(clock.alpha(149)).toBe(0)
})

test('a picture that stands still stands still', () => {
  const clock = new PictureClock()
  clock.note(3, { head: 4, atMs: 100, ticksPerMs: 0 }, 100, 100)
  expect([clock.alpha(100), clock.alpha(9_000)]).toEqual([1, 1])
})
