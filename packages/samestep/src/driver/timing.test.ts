import { expect, test } from 'vitest'
import { TestTiming } from '../transport/testing/test-timing.ts'
import type { Timing } from '../transport/timing.ts'
import { WakeUp } from './timing.ts'

test('a wake-up comes once, at its time', async () => {
  const timing = new TestTiming()
  const at: number[] = []
  const wakeUp = new WakeUp(timing, () => at.push(timing.nowMs()))
  wakeUp.set(1_050)
  await timing.pass(49)
  expect(at).toEqual([])
  await timing.pass(1_000)
  expect(at).toEqual([1_050])
})

test('only the newest time counts, and a time that is set again changes nothing', async () => {
  const timing = new TestTiming()
  const at: number[] = []
  let scheduled = 0
  const counting: Timing = {
    nowMs: timing.nowMs,
    schedule: (callback, delayMs) => {
      scheduled += 1
      return timing.schedule(callback, delayMs)
    },
  }
  const wakeUp = new WakeUp(counting, () => at.push(timing.nowMs()))
  wakeUp.set(1_500)
  wakeUp.set(1_200)
  wakeUp.set(1_200)
  expect([timing.timerCount, scheduled]).toEqual([1, 2])
  wakeUp.set(1_300)
  await timing.pass(1_000)
  expect(at).toEqual([1_300])
})

test('what is set inside of the callback is a new wake-up, even for the same time', async () => {
  const timing = new TestTiming()
  let count = 0
  const wakeUp = new WakeUp(timing, () => {
    count += 1
    if (count < 3) wakeUp.set(1_010)
  })
  wakeUp.set(1_010)
  await timing.pass(10)
  expect(count).toBe(3)
  expect(timing.timerCount).toBe(0)
})

test('never is no timer at all, and so is a wake-up that was stopped', () => {
  const timing = new TestTiming()
  const wakeUp = new WakeUp(timing, () => {})
  wakeUp.set(2_000)
  wakeUp.set(Number.POSITIVE_INFINITY)
  expect(timing.timerCount).toBe(0)
  wakeUp.set(2_000)
  wakeUp.stop()
  expect(timing.timerCount).toBe(0)
  // The same time again is a wake-up again.
  wakeUp.set(2_000)
  expect(timing.timerCount).toBe(1)
})

test('a fraction of a millisecond is rounded up: a timer that is early would come in vain', async () => {
  const timing = new TestTiming()
  const at: number[] = []
  const wakeUp = new WakeUp(timing, () => at.push(timing.nowMs()))
  wakeUp.set(1_000.2)
  await timing.pass(5)
  expect(at).toEqual([1_001])
})
