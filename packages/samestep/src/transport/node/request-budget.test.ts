import { expect, test } from 'vitest'
import { RequestBudget } from './request-budget.ts'
import { budgetBlocksMax, requestsPerAddressMax, requestsWindowMs } from './websocket-limits.ts'

test('an address has so many requests in a window, and as many again in the next', () => {
  const budget = new RequestBudget()
  const takeAll = (nowMs: number) => {
    let count = 0
    while (budget.take('203.0.113.7', nowMs)) count += 1
    return count
  }
  expect(takeAll(5)).toBe(requestsPerAddressMax)
  expect(budget.take('203.0.113.8', 5)).toBe(true)
  expect(takeAll(5 + requestsWindowMs - 1)).toBe(0)
  expect(takeAll(5 + requestsWindowMs)).toBe(requestsPerAddressMax)
})

test('all addresses of one IPv6 home share one budget', () => {
  const budget = new RequestBudget()
  for (let at = 0; at < requestsPerAddressMax; at++) {
    expect(budget.take(`2001:db8:1:2aa::${at.toString(16)}`, 0)).toBe(true)
  }
  expect(budget.take('2001:db8:1:2ff::9', 0)).toBe(false)
  expect(budget.take('2001:db8:1:300::9', 0)).toBe(true)
})

test('so many addresses are counted at most: the first to come is forgotten first', () => {
  const budget = new RequestBudget()
  while (budget.take('203.0.113.7', 0)) {}
  for (let at = 0; at < budgetBlocksMax; at++) {
    budget.take(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`, 0)
  }
  expect(budget.take('203.0.113.7', 0)).toBe(true)
})

test('an address has as many as the budget was made with', () => {
  const budget = new RequestBudget(3)
  expect([1, 2, 3, 4].map(() => budget.take('203.0.113.7', 0))).toEqual([true, true, true, false])
})
