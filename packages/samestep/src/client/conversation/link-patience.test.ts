import { expect, test } from 'vitest'
import { LinkPatience } from './link-patience.ts'

test('each further link is waited for twice as long, up to ten times the first wait', () => {
  const patience = new LinkPatience(500)
  const waits = Array.from({ length: 8 }, () => patience.noteLost(1_000) - 1_000)
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000])
})

test('a link over which we got in makes the next one soon again; one that only opened does not', () => {
  const patience = new LinkPatience(100)
  patience.noteLost(0)
  patience.noteOpened(50)
  expect(patience.noteLost(0)).toBe(200)
  patience.noteSeated()
  expect(patience.noteLost(0)).toBe(100)
})

test('the wait is finite after however many attempts', () => {
  const patience = new LinkPatience(500)
  for (let attempt = 0; attempt < 3_000; attempt++) patience.noteLost(0)
  expect(patience.noteLost(0)).toBe(5_000)
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

test('a thousand clients that lose a relay together come back spread over time', () => {
  for (const attempt of [0, 3, 8]) {
    const times = Array.from({ length: 1_000 }, (_, seed) => {
      const patience = new LinkPatience(500, seed)
      for (let count = 0; count < attempt; count++) patience.noteLost(0)
      return patience.noteLost(0)
    })
    const wait = 500 * Math.min(2 ** attempt, 10)
    expect(Math.min(...times)).toBeGreaterThanOrEqual(wait / 2)
    expect(Math.max(...times)).toBeLessThanOrEqual(1.5 * wait)
    // In each tenth of the time, about a tenth of them.
    const tenths = Array.from({ length: 10 }, () => 0)
    for (const atMs of times) tenths[Math.floor(((atMs - wait / 2) / wait) * 10)]! += 1
    expect(Math.max(...tenths)).toBeLessThan(150)
  }
})

test('without a seed a wait is what it is, and with the same seed the same', () => {
  expect(new LinkPatience(500).noteLost(1_000)).toBe(1_500)
  expect(new LinkPatience(500, 7).noteLost(0)).toBe(new LinkPatience(500, 7).noteLost(0))
})
