/** A user's suite for node:test: two tests that pass, one that fails. */
import { test } from 'node:test'
import { assertDeterministic, assertReloads } from '../assertions.ts'
import { makeCounters } from './counters.ts'

const clocked = makeCounters({
  // biome-ignore lint/suspicious/noExplicitAny: it writes what it should not.
  step({ state }: any) {
    state.board.moves = Date.now() % 1_000
  },
})

test('a sound game', () => assertDeterministic(makeCounters(), { ticks: 60 }))
test('a game that reloads', () => assertReloads(makeCounters(), { ticks: 60 }))
test('a game with a clock', () => assertDeterministic(clocked, { ticks: 60 }))
