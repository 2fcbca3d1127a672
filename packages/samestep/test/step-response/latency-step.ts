import { describe, expect, test } from 'vitest'
import { clientOf, expectOrdersOnce, expectOthersCalm, expectShotsOnce } from './expectations.ts'
import { ordersOf, statesOf } from './figures.ts'
import { playScene, scenes } from './scenes.ts'

const secondsBack = (ticks: readonly number[], sealedMs: readonly number[], fromMs: number) =>
  ticks.map((tick) => ((sealedMs[tick] as number) - fromMs) / 1_000)

describe('one-way latency of one player steps from 20 to 200 ms and back', () => {
  const scene = scenes.latencyStep
  const { fromMs, toMs } = scene
  const result = playScene(scene)
  const one = clientOf(result, 0)

  test.each([1, 2, 3, 4])(
    'the delay rises once within 2 s, falls once within 10 s (seed %i)',
    (seed) => {
      const { delays } = seed === 1 ? result : playScene(scene, seed)
      const [up, down, ...more] = delays.filter(({ atMs }) => atMs >= fromMs)
      expect(more).toEqual([])
      expect([up?.value, down?.value]).toEqual([13, 2])
      expect((up?.atMs ?? 0) - fromMs).toBeLessThanOrEqual(2_000)
      expect((down?.atMs ?? 0) - toMs).toBeLessThanOrEqual(10_000)
      expect(down?.atMs).toBeGreaterThan(toMs)
    },
  )

  test('inputs are late only until the delay has followed', () => {
    const late = secondsBack(one.lateTicks, result.sealedMs, fromMs)
    expect(late.length).toBeGreaterThan(0)
    expect(Math.min(...late)).toBeGreaterThan(0)
    // 0.7 s until it is raised, the way of the news, and the way of the first input by it.
    expect(Math.max(...late)).toBeLessThan(1.3)
  })

  test('the margin is never negative once the delay has followed', () => {
    const after = one.samples.filter((_, index) => {
      const at = result.timesMs[index] as number
      return at > fromMs + 3_000
    })
    expect(after.length).toBeGreaterThan(500)
    expect(Math.min(...after.map(({ marginMs }) => marginMs))).toBeGreaterThan(0)
  })

  test('over all changes of the delay no shot is doubled, and none lost but those that came late', () => {
    expectShotsOnce(result)
    expect(one.missedTicks).toEqual(one.lateTicks)
  })

  test('no order is lost or doubled', () => expectOrdersOnce(result))

  test('the others run their ticks as without it', () => expectOthersCalm(scene, result))

  test('its own picture rests once, and is active within a second', () => {
    expect(statesOf(result, one, 6_000, 80_000)).toEqual(['active', 'stalled', 'active'])
    expect(statesOf(result, one, fromMs + 1_000, 80_000)).toEqual(['active'])
  })

  test.each([
    ['a near', 1, 6_000, 78_000],
    ['the far', 0, fromMs + 2_000, toMs - 2_000],
  ] as const)(
    'an order of %s player is back after its ways up and down and 1.5 ticks',
    (_, index, from, to) => {
      const orders = ordersOf(clientOf(result, index), from, to)
      expect(orders.count).toBeGreaterThan(80)
      expect(orders.mostExtraTicks).toBeLessThanOrEqual(1.5)
      // And is run when its tick is due: the buffer against 1 ms of jitter, and the next picture.
      expect(orders.bufferP99Ms).toBeLessThan(40)
    },
  )

  test('what waits in the buffer when the line is short again is gone ten seconds later', () => {
    const orders = ordersOf(one, toMs + 15_000, 78_000)
    expect(orders.bufferP99Ms).toBeLessThan(80)
  })
})

describe('the same step with a delay of 2 to 6 ticks', () => {
  const scene = scenes.hopeless
  const { fromMs, toMs } = scene
  const result = playScene(scene)
  const one = clientOf(result, 0)

  test('the delay stays: no delay of the range would help', () => {
    expect(result.delays.filter(({ atMs }) => atMs > fromMs - 5_000)).toEqual([])
  })

  test('it costs the others nothing', () => expectOthersCalm(scene, result))

  test('its own inputs are late while it is far, and only then', () => {
    const late = secondsBack(one.lateTicks, result.sealedMs, fromMs)
    expect(late.length).toBeGreaterThan(850)
    expect(Math.max(...late)).toBeLessThan((toMs - fromMs) / 1_000 + 1)
    expectShotsOnce(result)
  })

  test('the others see it lag, and that it is back', () => {
    const seen = one.samples.map(({ presence }) => presence)
    const changes = seen.filter((presence, index) => presence !== seen[index - 1])
    expect(changes.filter((presence) => presence !== undefined)).toEqual([
      'active',
      'lagging',
      'active',
    ])
    expect(one.closed).toBeUndefined()
  })

  test('its orders need no delay: each runs once, its ways up and down and 1.5 ticks later', () => {
    expectOrdersOnce(result)
    const orders = ordersOf(one, fromMs + 2_000, toMs - 2_000)
    expect(orders.mostExtraTicks).toBeLessThanOrEqual(1.5)
  })
})
