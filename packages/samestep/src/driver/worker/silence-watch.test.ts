import { expect, test } from 'vitest'
import { TestTiming } from '../../transport/testing/test-timing.ts'
import { SilenceWatch } from './silence-watch.ts'

function stage() {
  const timing = new TestTiming()
  const lost: number[] = []
  const watch = new SilenceWatch(timing, () => lost.push(timing.nowMs() - 1_000))
  return { timing, lost, watch }
}

test('who says something now and then is never lost', async () => {
  const { timing, lost, watch } = stage()
  for (let count = 0; count < 10; count++) {
    await timing.pass(29_000)
    expect(watch.silentMs).toBe(29_000)
    watch.noteWord()
    expect(watch.silentMs).toBe(0)
  }
  expect(lost).toEqual([])
})

test('silence is told after three seconds, and the end after thirty, once', async () => {
  const { timing, lost, watch } = stage()
  await timing.pass(2_900)
  expect(watch.silentMs).toBe(0)
  await timing.pass(200)
  expect(watch.silentMs).toBe(3_000)
  await timing.pass(100_000)
  expect([lost, timing.timerCount]).toEqual([[30_000], 0])
})

test('time in which nobody listened does not count', async () => {
  const { timing, lost, watch } = stage()
  await timing.stall(3_600_000)
  expect([lost, watch.silentMs]).toEqual([[], 0])
})

test('after the stop nothing is left', async () => {
  const { timing, lost, watch } = stage()
  await timing.pass(5_000)
  watch.stop()
  await timing.pass(100_000)
  expect([lost, timing.timerCount]).toEqual([[], 0])
})
