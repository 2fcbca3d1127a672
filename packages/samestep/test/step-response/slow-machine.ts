import { describe, expect, test } from 'vitest'
import {
  clientOf,
  expectOrdersOnce,
  expectOthersCalm,
  expectShotsOnce,
  settledMs,
} from './expectations.ts'
import { firstMs, statesOf } from './figures.ts'
import { playScene, scenes } from './scenes.ts'
import { between, playStage } from './stage.ts'
import type { ClientPlan } from './stage-client.ts'

describe.each(['slowOff', 'slowMedian'] as const)(
  'one machine of three is three times too slow for 30 s (%s)',
  (name) => {
    const scene = scenes[name]
    const { fromMs, toMs } = scene
    const result = playScene(scene)
    const one = clientOf(result, 0)

    test('it is told within a second, catches up when it can, and is active within ten', () => {
      expect(statesOf(result, one, settledMs, 80_000)).toEqual([
        'active',
        'slow',
        'catching-up',
        'active',
      ])
      expect(firstMs(result, one, 'slow', fromMs) - fromMs).toBeLessThanOrEqual(1_000)
      expect(firstMs(result, one, 'active', toMs) - toMs).toBeLessThanOrEqual(10_000)
      expect(one.samples.at(-1)?.behindTicks).toBeLessThanOrEqual(3)
    })

    test('the progress of catching up only grows, from little to nearly all', () => {
      const progress = one.samples.flatMap(({ state }) => {
        return state.name === 'catching-up' ? [state.progress] : []
      })
      expect(progress.length).toBeGreaterThan(20)
      expect(progress).toEqual([...progress].sort((a, b) => a - b))
      expect(progress[0]).toBeLessThan(0.2)
      expect(progress.at(-1)).toBeGreaterThan(0.8)
      expect(one.mostPerFrame).toBeLessThanOrEqual(30)
    })

    test('how long catching up will take is told right, to half a second, once it has begun', () => {
      const endMs = firstMs(result, one, 'active', toMs)
      const errors = one.samples.flatMap(({ state }, index) => {
        const atMs = result.timesMs[index] as number
        if (state.name !== 'catching-up' || endMs - atMs > 4_000) return []
        return [Math.abs(atMs + state.leftMs - endMs)]
      })
      expect(errors.length).toBeGreaterThan(20)
      expect(Math.max(...errors)).toBeLessThan(500)
    })

    test('neither speed nor input delay moves, and the others notice nothing', () => {
      expect(result.speeds).toEqual([])
      expect(result.delays.filter(({ atMs }) => atMs > fromMs - 5_000)).toEqual([])
      expectOthersCalm(scene, result)
    })

    test('what it did all the same happened once', () => {
      expectShotsOnce(result)
      expectOrdersOnce(result)
      expect(one.closed).toBeUndefined()
    })
  },
)

describe('one machine is three times too slow for 30 s, with lag protection by the maximum', () => {
  const scene = scenes.slowMaximum
  const { fromMs, toMs } = scene
  const result = playScene(scene)
  const one = clientOf(result, 0)

  test('the speed only falls until the machine keeps up, and then only rises, to 100 % in 10 s', () => {
    const values = result.speeds.map(({ value }) => value)
    const lowest = values.indexOf(Math.min(...values))
    const [falling, rising] = [values.slice(0, lowest + 1), values.slice(lowest)]
    expect(falling).toEqual([...falling].sort((a, b) => b - a))
    expect(rising).toEqual([...rising].sort((a, b) => a - b))
    // A third of the speed is what it bears; three quarters of that leave it room.
    expect(values[lowest]).toBe(25)
    expect(values.at(-1)).toBe(100)
    expect((result.speeds.at(-1)?.atMs ?? 0) - toMs).toBeLessThanOrEqual(10_000)
    const [first] = result.speeds
    // The relay looks every two seconds, and the first look may come just before it is plain to see.
    expect((first?.atMs ?? 0) - fromMs).toBeLessThanOrEqual(5_000)
  })

  test('the slow one stays within five seconds of the others instead of twenty', () => {
    expect(Math.max(...one.samples.map(({ behindTicks }) => behindTicks))).toBeLessThan(150)
    const off = clientOf(playScene(scenes.slowOff), 0)
    expect(Math.max(...off.samples.map(({ behindTicks }) => behindTicks))).toBeGreaterThan(600)
  })

  test('nobody else stalls or misses an input at any change of the speed', () => {
    for (const index of [1, 2]) {
      const other = clientOf(result, index)
      expect(statesOf(result, other, settledMs, 80_000)).toEqual(['active'])
      expect(other.lateTicks).toEqual([])
    }
  })

  test('no shot and no order is lost or doubled but for late inputs', () => {
    expectShotsOnce(result)
    expectOrdersOnce(result)
  })
})

describe('one machine is four times too slow for 30 s, with lag protection by the maximum', () => {
  const scene = scenes.slowMaximum
  const { fromMs, toMs } = scene
  const slowest: ClientPlan = { tickCostMs: between(fromMs, toMs, 4 * (1_000 / 30), 5) }
  const result = playStage({ ...scene.options, clients: [slowest, {}, {}] })

  test('the match goes at what such a machine bears at three quarters of its load', () => {
    const values = result.speeds.map(({ value }) => value)
    expect(Math.min(...values)).toBe(19)
    expect(values.at(-1)).toBe(100)
  })

  test('so it falls no further behind once the match is that slow', () => {
    const settled = result.speeds.find(({ value }) => value === 19)?.atMs ?? toMs
    expect(settled - fromMs).toBeLessThanOrEqual(15_000)
    const behind = clientOf(result, 0)
      .samples.filter((_, index) => {
        const atMs = result.timesMs[index] as number
        return atMs >= settled && atMs < toMs
      })
      .map(({ behindTicks }) => behindTicks)
    expect(behind.length).toBeGreaterThan(100)
    expect(behind.at(-1)).toBeLessThanOrEqual((behind[0] as number) + 1)
  })
})
