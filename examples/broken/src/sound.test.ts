import { checkGame } from 'samestep/check'
import { expect, test } from 'vitest'
import { soundGames } from './sound.ts'

test.each(soundGames)(
  '$game.id, which is sound, passes without a complaint',
  ({ game, options, testTicks }) => {
    const { ok, failure, warnings, ticks } = checkGame(game, {
      ticks: testTicks,
      options,
      seed: 11,
    })
    expect(failure?.text).toBeUndefined()
    expect(ok).toBe(true)
    expect(warnings).toEqual([])
    expect(ticks).toBe(testTicks)
  },
)
