import { describe, expect, test } from 'vitest'
import { calmStats, shownRoom } from '../testing/rooms.ts'
import type { Blame } from './blame.ts'
import { blameOf, isSameBlame, nobody } from './blame.ts'
import type { MatchStats } from './room-view.ts'

const running = shownRoom('running')
const off = { lagMode: 'off', lagStretch: false } as const
const median = { lagMode: 'median', lagStretch: false } as const
const maximum = { lagMode: 'maximum', lagStretch: false } as const
const stretch = { lagMode: 'off', lagStretch: true } as const

/** A match at half speed: seats by their load and margin. */
function slowed(...seats: [loadPercent: number, marginMs: number | undefined][]): MatchStats {
  const calm = {
    rttMs: 20,
    jitterMs: 1,
    lossPercent: 0,
    behindTicks: 0,
    orderWaitMs: 0,
    orderWaitP95Ms: 0,
    ticksPerPacket: 1,
  }
  return {
    ...calmStats,
    effectivePercent: 50,
    seats: seats.map(([loadPercent, marginMs], seat) => ({ ...calm, seat, loadPercent, marginMs })),
  }
}

describe('to blame is', () => {
  test.each<[string, Blame, Parameters<typeof blameOf>]>([
    ['nobody, before anything is known', nobody, [undefined, undefined, undefined]],
    ['nobody in a lobby', nobody, [shownRoom('lobby'), calmStats, off]],
    ['nobody while all goes well', nobody, [running, calmStats, maximum]],
    [
      'who has not loaded, the slowest first',
      { cause: 'loading', seats: [1, 0] },
      [shownRoom('loading', { loadProgress: 60 }, { loadProgress: 20 }), undefined, off],
    ],
    [
      'nobody when all have loaded',
      nobody,
      [shownRoom('loading', { loadProgress: 100 }, { loadProgress: 100 }), undefined, off],
    ],
    [
      'whose inputs a tick waits for, whatever else there is',
      { cause: 'inputs', seats: [1] },
      [{ ...running, waitingFor: [1] }, slowed([90, 5]), maximum],
    ],
    [
      'whose machine is above the target, the worst first',
      { cause: 'machines', seats: [2, 1] },
      [running, slowed([70, 5], [80, 5], [200, 5]), maximum],
    ],
    [
      'whose machine is above the lower target of the median',
      { cause: 'machines', seats: [1, 0] },
      [running, slowed([70, 5], [80, 5], [10, 5]), median],
    ],
    [
      'the most loaded machine while the match recovers',
      { cause: 'machines', seats: [1] },
      [running, slowed([30, 5], [50, 5]), maximum],
    ],
    [
      'whose inputs are late, the latest first',
      { cause: 'lines', seats: [2, 0] },
      [running, slowed([10, -5], [10, 5], [10, -90], [10, undefined]), stretch],
    ],
    [
      'whose inputs are the nearest to being late while the ticks shrink again',
      { cause: 'lines', seats: [1] },
      [running, slowed([10, 5], [10, 2], [10, undefined]), stretch],
    ],
    [
      'the relay, where nothing else slows a match',
      { cause: 'relay', seats: [] },
      [running, slowed([300, 5]), off],
    ],
  ])('%s', (_title, blame, [room, stats, rules]) => {
    expect(blameOf(room, stats, rules)).toEqual(blame)
  })

  test('counted by the speed that was asked for', () => {
    const fast = { ...slowed([50, 5], [20, 5]), requestedPercent: 200, effectivePercent: 150 }
    expect(blameOf(running, fast, maximum)).toEqual({ cause: 'machines', seats: [0] })
  })
})

test('the same is the same cause and the same seats', () => {
  const inputs = { cause: 'inputs', seats: [1, 2] } as const
  expect(isSameBlame(inputs, { cause: 'inputs', seats: [1, 2] })).toBe(true)
  expect(isSameBlame(inputs, { cause: 'inputs', seats: [1] })).toBe(false)
  expect(isSameBlame(inputs, { cause: 'machines', seats: [1, 2] })).toBe(false)
})
