import { expect, test } from 'vitest'
import { HandshakeBudget } from './handshake-budget.ts'

const limits = { windowMs: 1_000, perAddress: 8, total: 20, reserved: 10, few: 2 }
const take = (budget: HandshakeBudget, block: string, count: number, nowMs = 0) =>
  Array.from({ length: count }, () => budget.take(block, nowMs)).filter(Boolean).length

test('one address gets so many handshakes per window, and again in the next one', () => {
  const budget = new HandshakeBudget(limits)
  expect(take(budget, 'a', 50)).toBe(8)
  expect(take(budget, 'a', 50, 999.9)).toBe(0)
  expect(take(budget, 'a', 50, 1_000)).toBe(8)
})

test('busy addresses leave the reserved part to those that ask for little', () => {
  const budget = new HandshakeBudget(limits)
  expect(['a', 'b', 'c'].map((block) => take(budget, block, 50))).toEqual([8, 2, 2])
  expect(take(budget, 'd', 50)).toBe(2)
  expect(take(budget, 'a', 50)).toBe(0)
})

test('all together get so many, however many they are', () => {
  const budget = new HandshakeBudget(limits)
  let taken = 0
  for (let at = 0; at < 500; at++) taken += take(budget, `10.0.0.${at}`, 2)
  expect(taken).toBe(20)
})
