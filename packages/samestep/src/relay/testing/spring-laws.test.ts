import { describe, expect, test } from 'vitest'
import { LagProtection } from '../pace/lag-protection.ts'
import type { SpringPlayer } from './spring-laws.ts'
import {
  springClearsReconnecting,
  springHostSpeedMax,
  springPingMs,
  springReference,
  springSpeed,
} from './spring-laws.ts'

const steady = { pingMs: 50, isReconnecting: false }
const players = (...loads: number[]): SpringPlayer[] => loads.map((cpu) => ({ ...steady, cpu }))

describe('Spring, by the catalogue', () => {
  test('[LAG-01] the median is brought to 60 %', () => {
    expect(springReference(players(0.2, 0.9, 0.6), 'median')).toBe(0.6)
    expect(springSpeed(players(0.2, 0.9, 0.6), 'median', 1, 1)).toBe(1)
    // 0.6 / 0.8 = 0.75, and half the way there.
    expect(springSpeed(players(0.8), 'median', 1, 1)).toBeCloseTo(0.875, 12)
  })

  test('[LAG-02] the maximum is brought to 75 %', () => {
    expect(springSpeed(players(0.1, 1), 'max', 1, 1)).toBeCloseTo(0.875, 12)
  })

  test('[LAG-03] the speed stays between 0.1 and what the user asked for', () => {
    expect(springSpeed(players(0.01), 'median', 1, 1)).toBe(1)
    expect(springSpeed(players(0.01), 'median', 1, 3)).toBe(2)
    let speed = 0.12
    for (let step = 0; step < 50; step++) speed = springSpeed(players(1), 'median', speed, 1)
    expect(speed).toBeCloseTo(0.1, 6)
  })

  test('[LAG-04] the ping counts ticks that are not answered, at the speed of now', () => {
    expect(springPingMs(130, 100, 1)).toBe(1_000)
    expect(springPingMs(130, 100, 0.5)).toBe(2_000)
  })

  test('[LAG-06] a host keeps 15 % of its time', () => {
    expect(springHostSpeedMax(1_000 / 30)).toBeCloseTo(0.85, 12)
  })

  test('[C-09] who reconnects is left out of the maximum, but not of the median', () => {
    const two = [...players(0.3), { cpu: 1, pingMs: 9_000, isReconnecting: true }]
    expect(springReference(two, 'max')).toBe(0.3)
    expect(springReference(two, 'median')).toBe(0.65)
  })

  test('[C-09] the mark of reconnecting compares ms with ticks: 60 ms pass for two seconds', () => {
    expect(springClearsReconnecting({ cpu: 1, pingMs: 59, isReconnecting: true })).toBe(true)
    expect(springClearsReconnecting({ cpu: 1, pingMs: 61, isReconnecting: true })).toBe(false)
  })
})

/** Our law over some seconds, with the same loads at normal speed reported once per second. */
function ourSpeed(mode: 'median' | 'maximum', loads: readonly number[], seconds: number): number[] {
  const law = new LagProtection({ seats: loads.length, mode })
  for (const seat of loads.keys()) law.setCounted(seat, true)
  const speeds: number[] = []
  for (let second = 0; second < seconds; second++) {
    loads.forEach((load, seat) => {
      law.noteLoad(seat, load, second * 1_000)
    })
    law.update(second * 1_000)
    speeds.push(law.effectivePercent)
  }
  return speeds
}

/** Spring's law every two seconds, with loads that grow with the speed and end at 1. */
function springSpeeds(mode: 'median' | 'max', loads: readonly number[], seconds: number): number[] {
  let speed = 1
  const speeds: number[] = []
  for (let second = 0; second < seconds; second += 2) {
    const now = loads.map((load) => ({ ...steady, cpu: Math.min((load / 100) * speed, 1) }))
    speed = springSpeed(now, mode, speed, 1)
    speeds.push(speed * 100)
  }
  return speeds
}

describe('where ours differs, and why', () => {
  test('same: a load of 80 % settles at 75 % speed in median mode, first step 87.5 %', () => {
    const ours = ourSpeed('median', [80, 80, 80], 20)
    expect(ours[0]).toBe(88)
    expect(ours.at(-1)).toBe(75)
    expect(springSpeeds('median', [80, 80, 80], 20)[0]).toBeCloseTo(87.5, 9)
    expect(springSpeeds('median', [80, 80, 80], 40).at(-1)).toBeCloseTo(75, 1)
  })

  test('true loads: three times too slow is seen as such, while Spring sees 100 % and creeps', () => {
    const ours = ourSpeed('maximum', [300, 10], 8)
    const springs = springSpeeds('max', [300, 10], 8)
    expect(ours.at(-1)).toBeLessThan(40)
    expect(springs.at(-1)).toBeGreaterThan(55)
  })

  test('dead band: a load that trembles by 4 % changes nothing, while Spring changes every 2 s', () => {
    const law = new LagProtection({ seats: 1, mode: 'median' })
    law.setCounted(0, true)
    let speed = 0.75
    let [ours, springs] = [0, 0]
    for (let step = 0; step < 60; step++) {
      const load = 80 + (step % 2 === 0 ? 2 : -2)
      law.noteLoad(0, load, step * 2_000)
      if (law.update(step * 2_000) !== undefined && step > 5) ours += 1
      const next = springSpeed(players((load / 100) * speed), 'median', speed, 1)
      if (next !== speed && step > 5) springs += 1
      speed = next
    }
    expect([ours, springs]).toEqual([0, 54])
  })

  test('[C-09] who catches up counts in no mode, because his state says so and not his ping', () => {
    const law = new LagProtection({ seats: 2, mode: 'median' })
    law.setCounted(0, true)
    law.setCounted(1, false)
    law.noteLoad(0, 30, 0)
    law.noteLoad(1, 1_000, 0)
    expect(law.referencePercent(0)).toBe(30)
    const spring = [...players(0.3), { cpu: 1, pingMs: 9_000, isReconnecting: true }]
    expect(springReference(spring, 'median')).toBe(0.65)
  })
})
