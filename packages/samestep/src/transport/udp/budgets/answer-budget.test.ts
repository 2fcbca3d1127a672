import { expect, test } from 'vitest'
import { AnswerBudget, budgetWindowMs } from './answer-budget.ts'

const random = (size: number) => new Uint8Array(size).fill(7)
const take = (budget: AnswerBudget, address: string, count: number, nowMs = 0) =>
  Array.from({ length: count }, () => budget.take(address, nowMs)).filter(Boolean).length

test('an address gets so many answers per window, and another one gets its own', () => {
  const budget = new AnswerBudget({ perAddress: 3, total: 100 }, random)
  expect(take(budget, '203.0.113.7', 10)).toBe(3)
  expect(take(budget, '203.0.113.8', 10)).toBe(3)
  expect(take(budget, '203.0.113.7', 10, budgetWindowMs - 1)).toBe(0)
  expect(take(budget, '203.0.113.7', 10, budgetWindowMs)).toBe(3)
})

test('all together get so many, however many they are', () => {
  const budget = new AnswerBudget({ perAddress: 3, total: 100 }, random)
  const flood = (nowMs: number) => {
    let answered = 0
    for (let at = 0; at < 5_000; at++)
      answered += take(budget, `10.0.${at >> 8}.${at & 255}`, 1, nowMs)
    return answered
  }
  expect(flood(0)).toBe(100)
  expect(flood(1)).toBe(0)
  expect(flood(budgetWindowMs * 9)).toBe(100)
})

test('a window begins with the first who comes, and a clock that stands still opens no other', () => {
  const budget = new AnswerBudget({ perAddress: 1, total: 9 }, random)
  expect(take(budget, 'a', 5, 1_000)).toBe(1)
  expect(take(budget, 'a', 5, 1_000)).toBe(0)
  expect(take(budget, 'a', 5, 1_099.9)).toBe(0)
  expect(take(budget, 'a', 5, 1_100)).toBe(1)
})

test('counters are shared evenly, by a secret', () => {
  const shareOf = (seed: number) => {
    const budget = new AnswerBudget({ perAddress: 1, total: 1e6 }, (size) =>
      new Uint8Array(size).fill(seed),
    )
    return Array.from({ length: 4_096 }, (_, at) =>
      take(budget, `198.51.${at >> 8}.${at & 255}`, 1),
    )
  }
  const [one, two] = [shareOf(1), shareOf(2)] as const
  // Of as many addresses as counters, 63 % find one of their own.
  const answered = one.filter(Boolean).length
  expect(answered).toBeGreaterThan(2_400)
  expect(answered).toBeLessThan(2_800)
  expect(one).not.toEqual(two)
})
