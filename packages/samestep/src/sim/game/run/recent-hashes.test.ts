import { expect, test } from 'vitest'
import { recentHashesFor, tickRateMax } from '../../limits.ts'
import { RecentHashes } from './recent-hashes.ts'

test.each([
  [1, 1_024],
  [30, 1_024],
  [60, 1_800],
  [tickRateMax, 7_200],
])(
  'at %i ticks per second the hashes of at least 30 s are remembered, and no wrong ones',
  (rate, count) => {
    expect(recentHashesFor(rate)).toBe(count)
    const hashes = new RecentHashes(rate)
    hashes.restart(5)
    const last = 5 + 2 * count
    for (let tick = 5; tick <= last; tick++) hashes.remember(tick, tick, ~tick)
    const out = new Uint32Array(2)
    for (let tick = last - count + 1; tick <= last; tick++) {
      expect(hashes.wordsAt(tick, out)).toBe(true)
      expect(out[0]).toBe(tick)
    }
    expect(hashes.wordsAt(last - count, out)).toBe(false)
    expect(hashes.wordsAt(last + 1, out)).toBe(false)
  },
)
