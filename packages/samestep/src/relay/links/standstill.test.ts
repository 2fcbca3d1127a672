import { expect, test } from 'vitest'
import { Standstill } from './standstill.ts'

const never = Number.POSITIVE_INFINITY

/** A wake-up: what is lost until then. */
function wake(standstill: Standstill, nowMs: number, dueMs: number): number {
  standstill.noteCall(nowMs, dueMs)
  return standstill.noteWakeUp(nowMs)
}

test('time after the moment when it wanted to be woken is lost, time before it is not', () => {
  const standstill = new Standstill()
  expect(wake(standstill, 1_000, never)).toBe(0)
  expect(wake(standstill, 1_500, 1_500)).toBe(0)
  expect(wake(standstill, 4_000, 2_000)).toBe(2_000)
  expect(wake(standstill, 4_001, 4_500)).toBe(0)
})

test('a timer that is a little late is no standstill', () => {
  const standstill = new Standstill()
  wake(standstill, 0, never)
  expect(wake(standstill, 132, 33)).toBe(0)
  expect(wake(standstill, 250, 150)).toBe(100)
})

test('a deadline that had passed when the machine last ran counts from then', () => {
  const standstill = new Standstill()
  wake(standstill, 1_000, never)
  expect(wake(standstill, 1_300, 200)).toBe(300)
})

test('a deadline that a packet moves into the past counts from that packet', () => {
  const standstill = new Standstill()
  wake(standstill, 1_000, never)
  // A tick is due at 1 050 and may wait until 1 400; its input comes at 1 250.
  standstill.noteCall(1_250, 1_400)
  expect(wake(standstill, 1_250, 1_050)).toBe(0)
  standstill.noteCall(1_450, 1_600)
  expect(wake(standstill, 1_750, 1_250)).toBe(300)
})

test('packets that are read before the late wake-up take nothing from what was lost', () => {
  const standstill = new Standstill()
  wake(standstill, 1_000, never)
  standstill.noteCall(1_020, 1_050)
  for (const nowMs of [2_050, 2_051, 2_052]) standstill.noteCall(nowMs, 1_050)
  expect(wake(standstill, 2_052, 1_050)).toBe(1_002)
})

test('a packet that moves a late deadline further back adds nothing to what was lost', () => {
  const standstill = new Standstill()
  wake(standstill, 1_000, never)
  standstill.noteCall(2_000, 1_400)
  expect(wake(standstill, 2_001, 1_050)).toBe(601)
})

test('who wants nothing, and a clock that is set back, lose no time', () => {
  const standstill = new Standstill()
  wake(standstill, 0, never)
  expect(wake(standstill, 1e9, never)).toBe(0)
  expect(wake(standstill, 5, 1e9 + 10)).toBe(0)
})

test('several matches that are due at once do not count the same time twice', () => {
  const standstill = new Standstill()
  wake(standstill, 0, never)
  expect([wake(standstill, 500, 100), wake(standstill, 500, 120)]).toEqual([400, 0])
})
