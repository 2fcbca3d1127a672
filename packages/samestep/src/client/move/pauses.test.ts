import { expect, test } from 'vitest'
import { MovePauses } from './pauses.ts'

test('each further try is three times later, up to five minutes', () => {
  const pauses = new MovePauses(undefined)
  const waits = Array.from({ length: 7 }, () => pauses.noteFailed(1_000) - 1_000)
  expect(waits).toEqual([5_000, 15_000, 45_000, 135_000, 300_000, 300_000, 300_000])
})

test('a line that lasted is tried again soon; one that did not is not, whatever link comes in between', () => {
  const pauses = new MovePauses(undefined)
  expect(pauses.firstAtMs(100)).toBe(600)
  pauses.noteFailed(1_000)
  pauses.noteFailed(6_000)
  expect(pauses.firstAtMs(7_000)).toBe(21_000)
  pauses.forget()
  expect(pauses.noteFailed(30_000)).toBe(35_000)
})

test('with a seed, many clients try at different times', () => {
  const times = Array.from({ length: 200 }, (_, seed) => new MovePauses(seed).firstAtMs(0))
  expect(Math.min(...times)).toBeLessThan(300)
  expect(Math.max(...times)).toBeGreaterThan(700)
})
