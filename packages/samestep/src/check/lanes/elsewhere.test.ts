import { describe, expect, test } from 'vitest'
import { checkGame } from '../check-game.ts'
import type { PlayedMatch } from '../check-options.ts'
import { makeCounters } from '../testing/counters.ts'
import { explainParting, packMatches, playElsewhere } from './elsewhere.ts'

/** A game that reads a variable which every process sets for itself. */
function makeLocal(variable: number) {
  return makeCounters({
    // biome-ignore lint/suspicious/noExplicitAny: it reads what it should not.
    step({ state, tick }: any) {
      if (tick === 30) state.board.moves = variable
    },
  })
}

function play(variable: number): readonly PlayedMatch[] {
  const matches: PlayedMatch[] = []
  const onMatch = (match: PlayedMatch) => matches.push(match)
  expect(checkGame(makeLocal(variable), { ticks: 1_040, onMatch }).ok).toBe(true)
  return matches
}

describe('another process', () => {
  const matches = play(1)
  const packed = JSON.parse(JSON.stringify(packMatches(makeLocal(1), matches)))

  test('that computes the same agrees', () => {
    expect(packed).toHaveLength(2)
    expect(playElsewhere(makeLocal(1), packed)).toBeUndefined()
  })

  test('that computes something else is found at the tick, with both values', () => {
    const parting = playElsewhere(makeLocal(2), packed)
    expect(parting).toMatchObject({ match: 1, tick: 30 })
    const failure = explainParting(makeLocal(1), matches, JSON.parse(JSON.stringify(parting)))
    expect(failure).toMatchObject({
      check: 'elsewhere',
      tick: 30,
      place: { part: 'board', field: 'moves', values: ['1', '2'] },
      cause: { id: 'environment' },
    })
    expect(failure.reproduction.ticks).toBe(30)
  })

  test('that speaks of another match is not believed', () => {
    const parting = { match: 9, tick: 1, snapshot: [] }
    expect(() => explainParting(makeLocal(1), matches, parting)).toThrow('match 9')
  })
})
