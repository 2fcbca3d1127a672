import { expect, test } from 'vitest'
import { Standstill } from './standstill.ts'

test('time after the promised moment is lost, time before it is not', () => {
  const standstill = new Standstill()
  expect(standstill.note(1_000)).toBe(0)
  standstill.promise(1_500)
  expect(standstill.note(1_500)).toBe(0)
  standstill.promise(2_000)
  expect(standstill.note(4_000)).toBe(2_000)
  standstill.promise(4_500)
  expect(standstill.note(4_001)).toBe(0)
})

test('a timer that is a little late is no standstill', () => {
  const standstill = new Standstill()
  standstill.note(0)
  standstill.promise(33)
  expect(standstill.note(132)).toBe(0)
  standstill.promise(150)
  expect(standstill.note(250)).toBe(100)
})

test('a promise that had passed when it was made counts from the moment it was made', () => {
  const standstill = new Standstill()
  standstill.note(1_000)
  standstill.promise(200)
  expect(standstill.note(1_300)).toBe(300)
})

test('who wants nothing, and a clock that is set back, lose no time', () => {
  const standstill = new Standstill()
  standstill.note(0)
  standstill.promise(Number.POSITIVE_INFINITY)
  expect(standstill.note(1e9)).toBe(0)
  standstill.promise(1e9 + 10)
  expect(standstill.note(5)).toBe(0)
})
