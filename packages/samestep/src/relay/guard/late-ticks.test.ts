import { expect, test } from 'vitest'
import { LateTicks } from './late-ticks.ts'

function lateAt(...times: number[]): LateTicks {
  const late = new LateTicks(30)
  for (const ms of times) late.add(ms)
  return late
}

const everyHalfSecond = (count: number): number[] =>
  Array.from({ length: count }, (_, n) => n * 500)

test('T-34 twenty within ten seconds are many, nineteen are not', () => {
  expect(lateAt(...everyHalfSecond(19)).isMany(9_500, false)).toBe(false)
  const late = lateAt(...everyHalfSecond(20))
  expect(late.isMany(9_999, false)).toBe(true)
  expect(late.isMany(10_000, false)).toBe(false)
  expect(late.total).toBe(20)
})

test('what was many stays many until fewer than ten are left', () => {
  const late = lateAt(...everyHalfSecond(20))
  expect(late.calmAtMs()).toBe(15_000)
  expect([late.isMany(14_999, true), late.isMany(15_000, true)]).toEqual([true, false])
})

test('few are left at the very time that was named, however it rounds', () => {
  for (let us = 1; us < 20_000_000; us += 7_919) {
    const late = lateAt(...new Array<number>(20).fill(us / 1_000))
    expect(late.isMany(late.calmAtMs(), true)).toBe(false)
  }
})

test('F-14 a standstill moves the past along', () => {
  const late = lateAt(...everyHalfSecond(20))
  late.excuse(5_000)
  expect([late.isMany(14_999, false), late.isMany(15_000, false)]).toEqual([true, false])
})
