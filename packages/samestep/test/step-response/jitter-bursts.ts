import { describe, expect, test } from 'vitest'
import { clientOf, expectOrdersOnce, expectOthersCalm, expectShotsOnce } from './expectations.ts'
import { playScene, scenes } from './scenes.ts'

describe('jitter bursts of 40 ms, five seconds in every thirty', () => {
  const scene = scenes.jitterBursts
  const result = playScene(scene)
  const one = clientOf(result, 0)

  test('the delay learns to stay up: the fourth burst and those after it do not let it down', () => {
    const changes = result.delays.filter(({ atMs }) => atMs >= scene.fromMs)
    const before = (index: number) => changes[index - 1]?.value ?? 0
    const lowered = changes.filter(({ value }, index) => value < before(index))
    expect(lowered.length).toBeLessThanOrEqual(3)
    // By one tick, it still covers the bursts.
    const letDown = changes.filter(({ value }, index) => value < before(index) - 1)
    expect(letDown.filter(({ atMs }) => atMs > 120_000)).toEqual([])
  })

  test('within a burst the delay only rises', () => {
    for (let burst = 30_000; burst < 160_000; burst += 30_000) {
      const inside = result.delays
        .filter(({ atMs }) => atMs >= burst && atMs < burst + 8_000)
        .map(({ value }) => value)
      expect(inside).toEqual([...new Set(inside)].sort((a, b) => a - b))
    }
  })

  test('one in 25 of its inputs is late at the most, all of them in bursts', () => {
    expect(one.lateTicks.length).toBeLessThan(0.04 * result.sealedMs.length)
    const outside = one.lateTicks.filter((tick) => {
      const at = (result.sealedMs[tick] as number) % 30_000
      return at > 6_000
    })
    expect(outside).toEqual([])
  })

  test('no shot and no order is lost or doubled but for late inputs', () => {
    expectShotsOnce(result)
    expectOrdersOnce(result)
  })

  test('the others run their ticks as without it', () => expectOthersCalm(scene, result))
})
