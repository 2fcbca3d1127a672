import { expect, test } from 'vitest'
import { LinkPatience } from './link-patience.ts'

test('each further link is waited for twice as long, up to thirty times the first wait', () => {
  const patience = new LinkPatience(500)
  const waits = Array.from({ length: 8 }, () => patience.retryAtMs(1_000) - 1_000)
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000])
})

test('a link over which we got in makes the next one soon again; one that only opened does not', () => {
  const patience = new LinkPatience(100)
  patience.retryAtMs(0)
  patience.noteOpened(50)
  expect(patience.retryAtMs(0)).toBe(200)
  patience.noteSeated()
  expect(patience.retryAtMs(0)).toBe(100)
})

test('the wait is finite after however many attempts', () => {
  const patience = new LinkPatience(500)
  for (let attempt = 0; attempt < 3_000; attempt++) patience.retryAtMs(0)
  expect(patience.retryAtMs(0)).toBe(15_000)
})

test('silence counts from the opening, then from what was heard last', () => {
  const patience = new LinkPatience(500)
  patience.noteOpened(1_000)
  expect(patience.silentAtMs).toBe(6_000)
  patience.noteHeard(4_000)
  patience.noteSaid(5_500)
  expect(patience.silentAtMs).toBe(9_000)
})

test('a sign of life is due a second after what was said last, or at once when something changed', () => {
  const patience = new LinkPatience(500)
  patience.noteOpened(1_000)
  expect(patience.hereAtMs).toBe(2_000)
  patience.noteSaid(1_700)
  patience.noteHeard(1_900)
  expect(patience.hereAtMs).toBe(2_700)
  patience.hurry()
  expect(patience.hereAtMs).toBeLessThanOrEqual(1_900)
  patience.noteSaid(1_900)
  expect(patience.hereAtMs).toBe(2_900)
})
