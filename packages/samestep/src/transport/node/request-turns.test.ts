import { expect, test } from 'vitest'
import { RequestTurns } from './request-turns.ts'
import { requestTurnMs } from './websocket-limits.ts'

/** Turns whose clock and event loop the test moves. */
function open() {
  const scheduled: (() => void)[] = []
  const clock = { nowMs: 0 }
  const turns = new RequestTurns({
    nowMs: () => clock.nowMs,
    schedule: (callback) => scheduled.push(callback),
  })
  /** One round of the event loop. */
  const round = () => {
    for (const callback of scheduled.splice(0)) callback()
  }
  return { turns, clock, scheduled, round }
}

test('nobody is served at once, and all in the order in which they came', () => {
  const { turns, round, scheduled } = open()
  const served: number[] = []
  for (const name of [1, 2, 3]) turns.wait(() => served.push(name))
  expect(served).toEqual([])
  expect(scheduled).toHaveLength(1)
  round()
  expect(served).toEqual([1, 2, 3])
  expect(scheduled).toHaveLength(0)
})

test('a turn ends after its time, and the rest follows in the next round of the event loop', () => {
  const { turns, clock, round } = open()
  const served: number[] = []
  for (let name = 0; name < 5_000; name++) {
    turns.wait(() => {
      served.push(name)
      clock.nowMs += requestTurnMs / 2
    })
  }
  round()
  expect(served).toEqual([0, 1])
  for (let count = 0; count < 2_499; count++) round()
  expect(served).toEqual(Array.from({ length: 5_000 }, (_, name) => name))
})

test('one that takes longer than a turn is served nevertheless', () => {
  const { turns, clock, round } = open()
  const served: number[] = []
  for (const name of [1, 2]) {
    turns.wait(() => {
      served.push(name)
      clock.nowMs += 100 * requestTurnMs
    })
  }
  round()
  expect(served).toEqual([1])
  round()
  expect(served).toEqual([1, 2])
})

test('whoever asks again during a turn waits for the next round', () => {
  const { turns, round } = open()
  let count = 0
  const again = () => {
    count += 1
    turns.wait(again)
  }
  turns.wait(again)
  round()
  expect(count).toBe(1)
  round()
  expect(count).toBe(2)
})
