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
import { playStage } from './stage.ts'

describe('a tab is hidden for five minutes, its timers throttled to one per second', () => {
  const scene = scenes.hiddenTab
  const { fromMs, toMs } = scene
  const result = playScene(scene)
  const one = clientOf(result, 0)

  test('it is active again within 2 s', () => {
    expect(statesOf(result, one, settledMs, toMs + 20_000)).toEqual(['active', 'hidden', 'active'])
    expect(firstMs(result, one, 'active', toMs) - toMs).toBeLessThanOrEqual(2_000)
  })

  test('ticks run when they come, so that there is nothing to catch up with', () => {
    expect(Math.max(...one.samples.map(({ behindTicks }) => behindTicks))).toBeLessThanOrEqual(3)
  })

  test('the others see that it is away, within a second, and that it is back', () => {
    const seen = (atMs: number) => one.samples[atMs / 100]?.presence
    expect(seen(fromMs)).toBe('active')
    expect(
      new Set([...Array(299).keys()].map((second) => seen(fromMs + 1_000 * (second + 1)))),
    ).toEqual(new Set(['hidden']))
    expect(seen(toMs + 1_000)).toBe('active')
    expect(one.closed).toBeUndefined()
  })

  test('what is held while away goes on counting: one input is late at the most', () => {
    expect(one.lateTicks.length).toBeLessThanOrEqual(1)
  })

  test('the delay stays, and the others run their ticks as without it', () => {
    expect(result.delays.filter(({ atMs }) => atMs > fromMs - 5_000)).toEqual([])
    expectOthersCalm(scene, result)
  })

  test('no shot and no order is lost or doubled', () => {
    expectShotsOnce(result)
    expectOrdersOnce(result)
  })

  test('equal seeds give equal histories, other seeds others', () => {
    const play = (seed: number) => playStage({ ...scene.options, forMs: 30_000, seed })
    expect(play(1)).toEqual(play(1))
    expect(play(2)).not.toEqual(play(1))
  })
})
