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
  const { ships } = simulate(game, { seats: 4, seed: 7, ticks: 300 }).simulation.state
  for (const row of ships) {
    expect(ships.x[row]).toBeGreaterThanOrEqual(0)
    expect(ships.y[row]).toBeGreaterThanOrEqual(0)
  }
})
