import { expect, test } from 'vitest'
import { sums } from '../sim/jobs/testing/sums.ts'
import { checkGame } from './check-game.ts'

test('a game with jobs passes the lanes that reload, rejoin and trace it', () => {
  const result = checkGame(sums, { ticks: 400, matchTicks: 200, skip: ['throws'] })
  expect(result.failure).toBeUndefined()
  expect(result.orders.add?.executed).toBeGreaterThan(20)
})
