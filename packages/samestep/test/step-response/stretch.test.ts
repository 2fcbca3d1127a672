import { describe, expect, test } from 'vitest'
import { expectOrdersOnce } from './expectations.ts'
import { between, playStage, type StageResult } from './stage.ts'

const fromMs = 20_000
const toMs = 50_000

/**
 * Three players in a match that waits for inputs, with three ticks of input delay. For half a minute
 * one of them is so far away that his inputs need a little longer than that.
 */
function play(latencyMs: number, stretch: boolean): StageResult {
  return playStage({
    forMs: 100_000,
    inputDelay: { min: 3, max: 3 },
    missing: { kind: 'wait', waitMs: 500 },
    lagProtection: { stretch },
    clients: [{ latencyMs: between(fromMs, toMs, latencyMs, 20) }, {}, {}],
  })
}

/** Times between two seals while the one is far away and everything has settled. */
function gapsOf({ sealedMs }: StageResult): number[] {
  const gaps = sealedMs.map((atMs, tick) => atMs - (sealedMs[tick - 1] ?? Number.NaN))
  return gaps.filter((_, tick) => {
    const atMs = sealedMs[tick] as number
    return atMs > fromMs + 5_000 && atMs < toMs
  })
}

/** Looks at which a player's picture stood still in that time, of all three. */
function stalledOf({ clients, timesMs }: StageResult): number[] {
  return clients.map(({ samples }) => {
    const isInside = (index: number) => {
      const atMs = timesMs[index] as number
      return atMs > fromMs + 5_000 && atMs < toMs
    }
    return samples.filter(({ state }, index) => state.name === 'stalled' && isInside(index)).length
  })
}

const meanOf = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
const unevenOf = (gaps: readonly number[]) => {
  const mean = meanOf(gaps)
  return gaps.filter((gap) => Math.abs(gap - mean) > 3).length / gaps.length
}

describe('[LAG-10] a player whose inputs need 104 ms where there are 100', () => {
  const off = play(52, false)
  const on = play(52, true)

  test('makes a tick wait now and then, and everybody stall, where ticks are not stretched', () => {
    expect(off.speeds).toEqual([])
    expect(unevenOf(gapsOf(off))).toBeGreaterThan(0.1)
    expect(Math.min(...stalledOf(off))).toBeGreaterThan(3)
  })

  test('is glided with where they are: no tick waits, nobody stalls, at nearly the same pace', () => {
    expect(unevenOf(gapsOf(on))).toBeLessThan(0.01)
    expect(stalledOf(on)).toEqual([0, 0, 0])
    expect(meanOf(gapsOf(on)) / meanOf(gapsOf(off))).toBeLessThan(1.04)
    expect(Math.min(...on.speeds.map(({ value }) => value))).toBeGreaterThanOrEqual(91)
    const [first] = on.speeds
    expect((first?.atMs ?? 0) - fromMs).toBeLessThan(3_000)
  })

  test('leaves nothing behind when he is near again', () => {
    expect(on.speeds.at(-1)?.value).toBe(100)
    expectOrdersOnce(on)
  })
})

test('[LAG-10] who needs more than a tenth is waited for, less often and for less long', () => {
  const [off, on] = [play(60, false), play(60, true)]
  expect(Math.min(...on.speeds.map(({ value }) => value))).toBe(91)
  expect(Math.max(...gapsOf(on))).toBeLessThan(Math.max(...gapsOf(off)))
  const [stalledOn, stalledOff] = [stalledOf(on), stalledOf(off)]
  for (const [index, stalled] of stalledOn.entries()) {
    expect(stalled).toBeLessThan(0.7 * (stalledOff[index] as number))
  }
})

test('[LAG-10] a match in which everybody is in time is not stretched', () => {
  expect(play(30, true).speeds).toEqual([])
})
