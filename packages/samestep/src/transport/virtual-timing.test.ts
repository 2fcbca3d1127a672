import { expect, test } from 'vitest'
import { VirtualTiming } from './virtual-timing.ts'

test('timers fire at their time, in sequence, and only while time passes', async () => {
  const timing = new VirtualTiming(0)
  const told: string[] = []
  const note = (name: string) => () => told.push(`${name} at ${timing.nowMs()}`)
  timing.schedule(note('late'), 30)
  timing.schedule(note('first'), 10)
  timing.schedule(note('second'), 10)
  timing.schedule(note('overdue'), -5)
  expect(told).toEqual([])
  await timing.pass(29)
  expect(told).toEqual(['overdue at 0', 'first at 10', 'second at 10'])
  expect([timing.nowMs(), timing.timerCount]).toEqual([29, 1])
  await timing.pass(1)
  expect(told.at(-1)).toBe('late at 30')
})

test('a timer that was undone never fires, and one that sets another fires that in its turn', async () => {
  const timing = new VirtualTiming(0)
  const told: number[] = []
  const beat = () => {
    told.push(timing.nowMs())
    timing.schedule(beat, 10)
  }
  beat()
  timing.schedule(() => told.push(-1), 5)()
  await timing.pass(35)
  expect(told).toEqual([0, 10, 20, 30])
})

test('promises have their turn between two timers', async () => {
  const timing = new VirtualTiming(0)
  const told: string[] = []
  timing.schedule(() => {
    Promise.resolve().then(() => told.push('promise'))
  }, 10)
  timing.schedule(() => told.push('timer'), 10)
  await timing.pass(10)
  expect(told).toEqual(['promise', 'timer'])
})

test('after a standstill everything is late, and nothing is lost', async () => {
  const timing = new VirtualTiming(0)
  const told: number[] = []
  for (const delayMs of [10, 20]) timing.schedule(() => told.push(timing.nowMs()), delayMs)
  await timing.stall(1_000)
  expect(told).toEqual([1_000, 1_000])
})
