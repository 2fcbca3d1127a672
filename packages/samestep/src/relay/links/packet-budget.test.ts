import { expect, test } from 'vitest'
import { PacketBudget } from './packet-budget.ts'

/** How many packets of a size pass at a time. */
function passing(budget: PacketBudget, nowMs: number, bytes = 40, tries = 100_000): number {
  let count = 0
  while (count < tries && budget.take(bytes, nowMs)) count += 1
  return count
}

test('[T-36] a stranger has enough for a handshake on a bad line, and not for a flood', () => {
  const budget = new PacketBudget(0)
  expect(passing(budget, 0)).toBe(480)
  expect(passing(budget, 1_000)).toBe(60)
})

test.each([1, 20, 30, 60, 240])(
  'at %i ticks per second an honest client never runs out',
  (rate) => {
    const budget = new PacketBudget(0)
    budget.setPace(rate, 0)
    // Two packets per tick, each of them twice, for a minute.
    for (let tick = 0; tick < 60 * rate; tick++) {
      for (let copy = 0; copy < 4; copy++)
        expect(budget.take(200, (tick * 1_000) / rate)).toBe(true)
    }
  },
)

test('what a line held up for 15 s comes at once and passes', () => {
  const budget = new PacketBudget(0)
  budget.setPace(30, 0)
  expect(passing(budget, 10_000, 100, 15 * 2 * 30)).toBe(900)
})

test.each([10, 30, 60, 120, 240])(
  '[T-36] at %i ticks per second, 100 000 turns per second are too many within a second',
  (rate) => {
    const budget = new PacketBudget(0)
    budget.setPace(rate, 0)
    let taken = 0
    // A hundred in each millisecond, of 20 bytes each.
    while (taken < 100_000 && budget.take(20, Math.floor(taken / 100))) taken += 1
    expect(taken).toBeLessThan(480 + 50 * rate)
  },
)

test.each([10, 30, 60, 120, 240])(
  '[T-36] at %i ticks per second bytes are bounded too, whatever the size of packets',
  (rate) => {
    for (const bytes of [20, 1_199, 1_200, 8_000, 65_536]) {
      const budget = new PacketBudget(0)
      budget.setPace(rate, 0)
      let taken = 0
      for (let atMs = 0; atMs < 60_000; atMs++) while (budget.take(bytes, atMs)) taken += bytes
      // A datagram for each packet that is allowed, in a minute and at once.
      expect(taken).toBeLessThan(1_200 * (60 * (60 + 6 * rate) + 480 + 40 * rate) + 65_536)
    }
  },
)

test('large packets count by their bytes', () => {
  const budget = new PacketBudget(0)
  expect(passing(budget, 0, 65_536)).toBe(Math.floor(480 / 55))
})

test('a match that becomes slower leaves no larger budget behind', () => {
  const budget = new PacketBudget(0)
  budget.setPace(2_400, 0)
  passing(budget, 60_000)
  budget.setPace(30, 60_000)
  expect(passing(budget, 61_000)).toBe(240)
})
