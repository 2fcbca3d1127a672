import { expect, test } from 'vitest'
import { PingBudget } from './ping-budget.ts'

test('[T-25] ten pings at once are fine, an eleventh is not, and a tenth of a second earns one', () => {
  const budget = new PingBudget()
  const taken = Array.from({ length: 11 }, () => budget.take(5_000))
  expect(taken).toEqual([...Array.from({ length: 10 }, () => true), false])
  const slow = new PingBudget()
  for (let count = 0; count < 10; count++) slow.take(5_000)
  expect(slow.take(5_100)).toBe(true)
  expect(slow.take(5_101)).toBe(false)
})

test('[T-25] a long silence earns no more than ten', () => {
  const budget = new PingBudget()
  const taken = Array.from({ length: 11 }, () => budget.take(1_000_000))
  expect(taken.filter((isTaken) => isTaken)).toHaveLength(10)
})
