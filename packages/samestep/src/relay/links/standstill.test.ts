import { expect, test } from 'vitest'
import { Standstill } from './standstill.ts'

const never = Number.POSITIVE_INFINITY

test('time after the moment when it wanted to be woken is lost, time before it is not', () => {
  const standstill = new Standstill()
  expect(standstill.note(1_000, never)).toBe(0)
  expect(standstill.note(1_500, 1_500)).toBe(0)
  expect(standstill.note(4_000, 2_000)).toBe(2_000)
  expect(standstill.note(4_001, 4_500)).toBe(0)
})

test('a timer that is a little late is no standstill', () => {
  const standstill = new Standstill()
  standstill.note(0, never)
  expect(standstill.note(132, 33)).toBe(0)
  expect(standstill.note(250, 150)).toBe(100)
})

test('a deadline that had passed when the machine last ran counts from then', () => {
  const standstill = new Standstill()
  standstill.note(1_000, never)
  expect(standstill.note(1_300, 200)).toBe(300)
})

test('who wants nothing, and a clock that is set back, lose no time', () => {
  const standstill = new Standstill()
  standstill.note(0, never)
  expect(standstill.note(1e9, never)).toBe(0)
  expect(standstill.note(5, 1e9 + 10)).toBe(0)
})

test('several matches that are due at once do not count the same time twice', () => {
  const standstill = new Standstill()
  standstill.note(0, never)
  expect([standstill.note(500, 100), standstill.note(500, 120)]).toEqual([400, 0])
})
