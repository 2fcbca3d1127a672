import { assertDeterministic, assertReloads, simulate } from 'samestep/check'
import { expect, test } from 'vitest'
import { game } from './game.ts'

test('every machine computes the same', () => {
  assertDeterministic(game, { ticks: 200 })
})

test('who loads a snapshot goes on like everybody else', () => {
  assertReloads(game, { ticks: 200 })
})

test('nobody leaves the world', () => {
  const { dots } = simulate(game, { seats: 4, seed: 7, ticks: 300 }).simulation.state
  for (const row of dots) {
    expect(dots.x[row]).toBeGreaterThanOrEqual(0)
    expect(dots.y[row]).toBeGreaterThanOrEqual(0)
  }
})
