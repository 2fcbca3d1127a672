import { describe, expect, test } from 'vitest'
import type { StepResult } from './step-response.ts'
import { between, playSteps, tickJitterMs } from './step-response.ts'
import type { ClientPlan } from './virtual-client.ts'

const quiet: ClientPlan = { latencyMs: () => 20, jitterMs: () => 1 }
const wide = { min: 2, max: 16 }

/** The indices of samples from one time to another. */
function spanOf({ timesMs }: StepResult, fromMs: number, toMs: number): number[] {
  return [...timesMs.keys()].filter((index) => {
    const at = timesMs[index] as number
    return at >= fromMs && at < toMs
  })
}

/** The states of a client in a time, each once, in sequence. */
function statesOf(result: StepResult, client: number, fromMs: number, toMs: number): string[] {
  const states = spanOf(result, fromMs, toMs).map((at) => result.clients[client]?.states[at] ?? '')
  return states.filter((state, index) => state !== states[index - 1])
}

/** Everything that the second and third client did, to be compared to the last bit. */
function othersOf(result: StepResult): unknown {
  return result.clients
    .slice(1)
    .map(({ ranMs, rate, depth, states }) => ({ ranMs, rate, depth, states }))
}

describe('one-way latency of one client steps from 20 to 200 ms and back', () => {
  const options = { forMs: 90_000, range: wide }
  const calm = playSteps({ ...options, clients: [quiet, quiet, quiet] })
  const stepped = { ...quiet, latencyMs: between(20_000, 50_000, 200, 20) }
  const result = playSteps({ ...options, clients: [stepped, quiet, quiet] })

  test('the delay settles within 2 s up and within 10 s down, by one change each', () => {
    expect(calm.changes).toEqual([])
    const [up, down, ...more] = result.changes
    expect(more).toEqual([])
    expect([up?.ticks, down?.ticks]).toEqual([13, 2])
    expect((up?.atMs ?? 0) - 20_000).toBeLessThanOrEqual(2_000)
    expect((down?.atMs ?? 0) - 50_000).toBeLessThanOrEqual(10_000)
  })

  test('inputs are late only until the delay has followed', () => {
    // Two thirds of a second until it is raised, and the way of the news and of the first input by it.
    expect(result.clients[0]?.lateInputs).toBeLessThanOrEqual(40)
    expect(result.clients[1]?.lateInputs).toBe(0)
  })

  test('the ticks of the others run when they ran without it, to the last bit', () => {
    expect(othersOf(result)).toEqual(othersOf(calm))
  })

  test('its own picture rests once, and is active within a second', () => {
    expect(statesOf(result, 0, 19_000, 90_000)).toEqual(['active', 'stalled', 'active'])
    expect(statesOf(result, 0, 21_000, 90_000)).toEqual(['active'])
  })

  test('the hold falls with the room and grows back without swinging', () => {
    const holds = spanOf(result, 65_000, 90_000).map((at) => result.clients[0]?.holdMs[at] ?? 0)
    const falls = holds.map((hold, index) => (holds[index - 1] ?? hold) - hold)
    expect(Math.max(...falls)).toBeLessThan(1)
    expect(holds.at(-1)).toBeGreaterThan(5)
  })

  test.each([...Array(10).keys()])('so it is for every seed (%i)', (seed) => {
    const again = playSteps({ ...options, seed: seed + 100, clients: [stepped, quiet, quiet] })
    expect(again.changes.map(({ ticks }) => ticks)).toEqual([13, 2])
    expect((again.changes[0]?.atMs ?? 0) - 20_000).toBeLessThanOrEqual(2_000)
    expect((again.changes[1]?.atMs ?? 0) - 50_000).toBeLessThanOrEqual(10_000)
  })

  test('with a range that cannot help it, it costs the others not one tick', () => {
    const hopeless = playSteps({ forMs: 45_000, clients: [stepped, quiet, quiet] })
    expect(hopeless.changes).toEqual([])
    expect(hopeless.clients.map(({ isHopeless }) => isHopeless)).toEqual([true, false, false])
  })

  test('equal seeds give equal histories, other seeds others', () => {
    const jittery = [{ jitterMs: () => 10 }]
    const play = (seed: number) => playSteps({ forMs: 5_000, seed, clients: jittery })
    expect(play(7)).toEqual(play(7))
    expect(play(8)).not.toEqual(play(7))
  })
})

describe('jitter bursts of 40 ms, five seconds in every thirty', () => {
  const isBurst = (atMs: number) => atMs > 20_000 && atMs % 30_000 < 5_000
  const bursty = { ...quiet, jitterMs: (atMs: number) => (isBurst(atMs) ? 40 : 1) }
  const options = { forMs: 600_000, range: wide, sampleMs: 500 }
  const result = playSteps({ ...options, clients: [bursty, quiet, quiet] })

  test('the delay learns to stay up: far fewer changes in the second half than in the first', () => {
    const early = result.changes.filter(({ atMs }) => atMs < 300_000).length
    expect(result.changes.length - early).toBeLessThanOrEqual(early / 2)
  })

  test('less than three in a hundred of its inputs are late, and none of the others', () => {
    expect(result.clients[0]?.lateInputs).toBeLessThan(0.03 * 18_000)
    expect(result.clients[1]?.lateInputs).toBe(0)
    expect(result.clients[2]?.lateInputs).toBe(0)
  })

  test('the ticks of the others run when they ran without it', () => {
    const calm = playSteps({ ...options, clients: [quiet, quiet, quiet] })
    expect(othersOf(result)).toEqual(othersOf(calm))
  })
})

describe('one client is three times too slow for 30 s', () => {
  const slow = { ...quiet, tickMs: between(20_000, 50_000, 100, 5) }
  const options = { forMs: 120_000, clients: [slow, quiet, quiet] }

  test('it is told within two seconds, and recovers by itself within ten', () => {
    const result = playSteps(options)
    expect(statesOf(result, 0, 10_000, 120_000)).toEqual([
      'active',
      'slow',
      'catching-up',
      'active',
    ])
    expect(statesOf(result, 0, 22_000, 50_000)).toEqual(['slow'])
    expect(statesOf(result, 0, 60_000, 120_000)).toEqual(['active'])
    expect(result.clients[0]?.behind.at(-1)).toBeLessThanOrEqual(2)
  })

  test('nobody waits for it: the others do not notice, nor does the input delay', () => {
    const calm = playSteps({ ...options, clients: [quiet, quiet, quiet] })
    const result = playSteps(options)
    expect(othersOf(result)).toEqual(othersOf(calm))
    expect(result.changes).toEqual([])
    expect(Math.min(...result.speedPercent)).toBe(100)
  })

  test('one of three changes nothing by the median either', () => {
    const result = playSteps({ ...options, lagMode: 'median' })
    expect(Math.min(...result.speedPercent)).toBe(100)
  })

  test('by the maximum the match slows down until it keeps up, and is at full speed 10 s after', () => {
    const result = playSteps({ ...options, lagMode: 'maximum' })
    const speeds = (fromMs: number, toMs: number) =>
      spanOf(result, fromMs, toMs).map((at) => result.speedPercent[at] as number)
    const falling = speeds(15_000, 50_000)
    expect(falling).toEqual([...falling].sort((a, b) => b - a))
    expect(falling.at(-1)).toBe(25)
    const rising = speeds(51_500, 120_000)
    expect(rising).toEqual([...rising].sort((a, b) => a - b))
    expect(new Set(speeds(60_000, 120_000))).toEqual(new Set([100]))
    // Everybody moves evenly all the while, if slowly.
    expect(statesOf(result, 1, 5_000, 120_000)).toEqual(['active'])
    expect(Math.max(...(result.clients[0]?.behind ?? []))).toBeLessThan(120)
  })
})

describe('a tab is hidden for five minutes', () => {
  const fromMs = 20_000
  const toMs = 320_000
  const isAway = (atMs: number) => atMs > fromMs && atMs < toMs
  const options = { forMs: 370_000, sampleMs: 250 }
  const calm = playSteps({ ...options, clients: [quiet, quiet, quiet] })

  test('its ticks run when they come, and it is back at once', () => {
    const result = playSteps({
      ...options,
      clients: [{ ...quiet, isHidden: isAway }, quiet, quiet],
    })
    expect(statesOf(result, 0, 10_000, 370_000)).toEqual(['active', 'hidden', 'active'])
    expect(Math.max(...(result.clients[0]?.behind ?? []))).toBeLessThanOrEqual(1)
    expect(result.clients[0]?.lateInputs).toBe(0)
    expect(othersOf(result)).toEqual(othersOf(calm))
  })

  test('a machine that slept catches up with progress, 30 ticks per frame at the most', () => {
    const result = playSteps({
      ...options,
      clients: [{ ...quiet, isFrozen: isAway }, quiet, quiet],
    })
    expect(statesOf(result, 0, 10_000, 370_000)).toEqual(['active', 'catching-up', 'active'])
    expect(statesOf(result, 0, 350_000, 370_000)).toEqual(['active'])
    const progress = spanOf(result, toMs + 500, 340_000).map(
      (at) => result.clients[0]?.progress[at],
    )
    expect(progress).toEqual([...progress].sort((a = 0, b = 0) => a - b))
    expect(progress[0]).toBeLessThan(0.1)
    expect(result.clients[0]?.mostPerFrame).toBeLessThanOrEqual(30)
    expect(result.changes).toEqual([])
    expect(othersOf(result)).toEqual(othersOf(calm))
  })
})

describe('tickJitterMs', () => {
  test('is the standard deviation of the gaps', () => {
    expect(tickJitterMs([0, 10, 20, 30], 0, 4)).toBe(0)
    expect(tickJitterMs([0, 10, 30, 40, 60], 0, 5)).toBe(5)
  })
})
