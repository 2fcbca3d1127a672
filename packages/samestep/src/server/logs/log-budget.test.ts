import { expect, test } from 'vitest'
import { LogBudget } from './log-budget.ts'

test('one match writes twenty lines at once, and then one per second', () => {
  const budget = new LogBudget(0)
  const admitted = (nowMs: number, tries: number) =>
    Array.from({ length: tries }, () => budget.admit('friday', nowMs)).filter(Boolean).length
  expect(admitted(0, 100)).toBe(20)
  expect(admitted(10_000, 100)).toBe(10)
})

test('many matches together write 500 lines at once, and then fifty per second', () => {
  const budget = new LogBudget(0)
  const admitted = (nowMs: number) =>
    Array.from({ length: 5_000 }, (_, match) => budget.admit(`m${match}`, nowMs)).filter(Boolean)
      .length
  expect(admitted(0)).toBe(500)
  expect(admitted(2_000)).toBe(100)
})

test('disagreements of a match are told every ten seconds, with their number', () => {
  const budget = new LogBudget(0)
  const told = Array.from({ length: 601 }, (_, index) =>
    budget.admitDisagreement('friday', index * 33),
  )
  expect(told.filter((count) => count > 0)).toEqual([1, 304])
})

test('what was left out is told, not more often than every ten seconds', () => {
  const budget = new LogBudget(0)
  for (let count = 0; count < 30; count++) budget.admit('friday', 0)
  expect([budget.takeSkipped(0), budget.takeSkipped(0)]).toEqual([10, 0])
  budget.admit('friday', 0)
  expect([budget.takeSkipped(9_999), budget.takeSkipped(10_000)]).toEqual([0, 1])
})

test('a match that is over is forgotten', () => {
  const budget = new LogBudget(0)
  budget.admit('friday', 0)
  budget.forget('friday')
  expect(budget.size).toBe(0)
})
