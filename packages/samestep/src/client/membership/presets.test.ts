import { describe, expect, test } from 'vitest'
import { counter } from '../testing/counter.ts'
import type { ClientOptions } from './client-options.ts'
import { makeConfig } from './match-config.ts'
import { presets } from './presets.ts'

type Options = Partial<ClientOptions<never>>
const configOf = (options: Options) =>
  makeConfig(counter, { match: 'friday', name: 'ada', ...options } as never)

describe('a preset', () => {
  test.each(Object.keys(presets) as (keyof typeof presets)[])('%s is a match', (preset) => {
    const { missing, batching, pace } = configOf({ preset })
    const chosen = presets[preset]
    expect({ missing, batching, pauseBy: pace.pauseBy }).toEqual({
      missing: chosen.missing,
      batching: chosen.batching,
      pauseBy: chosen.pace.pauseBy,
    })
  })

  test('counts behind what is given beside it', () => {
    const config = configOf({ preset: 'rts', lagProtection: 'maximum', pace: { pausesMax: 7 } })
    expect(config.lagMode).toBe('maximum')
    expect(config.batching).toBe('adaptive')
    expect(config.pace).toMatchObject({ pauseBy: 'player', pausesMax: 7 })
  })

  test('stretches ticks only where they wait for inputs', () => {
    expect(configOf({ preset: 'turns' }).lagStretch).toBe(true)
    const idle = configOf({ preset: 'turns', missing: { kind: 'idle', waitMs: 0 } })
    expect(idle.lagStretch).toBe(false)
  })

  test('that there is not is refused, with those that there are', () => {
    expect(() => configOf({ preset: 'chess' as never })).toThrow(
      "Cannot use preset 'chess': the presets are rts, action, turns",
    )
  })
})
