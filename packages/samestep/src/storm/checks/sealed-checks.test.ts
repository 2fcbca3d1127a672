import { describe, expect, test } from 'vitest'
import { makeMatchConfig } from '../../wire/messages/match-config.ts'
import { slotOf } from '../../wire/testing/slot-of.ts'
import { World } from '../engine/world.ts'
import { InputBook, InputCheck, LateBook, PaceCheck, SeatCheck } from './sealed-checks.ts'

const config = makeMatchConfig({
  seats: 2,
  tickRate: 30,
  inputDelay: 3,
  missing: { kind: 'idle', waitMs: 0 },
  inputSlots: [slotOf(8, 5), slotOf(1, 0, true)],
})

const slots = (...values: number[]) => Uint32Array.from(values)

function checkOf(kind: 'idle' | 'repeat') {
  const check = new InputCheck(new World({ seed: 1 }), { ...config, missing: { kind, waitMs: 0 } })
  const book = new InputBook(2)
  return { check, book }
}

describe('I-06 an input in a sealed tick', () => {
  test('is what its player made', () => {
    const { check, book } = checkOf('idle')
    book.note(100, slots(9, 1))
    check.check(100, 1, slots(0, 0, 9, 1), false, book)
    expect(() => check.check(100, 1, slots(0, 0, 8, 1), false, book)).toThrow('I-06')
    expect(() => check.check(101, 1, slots(0, 0, 9, 1), false, book)).toThrow('I-06')
  })

  test('that is missing is let go of under the policy idle', () => {
    const { check, book } = checkOf('idle')
    check.keep(slots(7, 0, 7, 0))
    check.check(100, 0, slots(5, 0, 7, 0), true, book)
    expect(() => check.check(100, 1, slots(5, 0, 7, 0), true, book)).toThrow('by the policy idle')
  })

  test('may be the one from before its player made it anew', () => {
    const { check, book } = checkOf('idle')
    book.note(100, slots(9, 1))
    book.note(100, slots(7, 0))
    check.check(100, 1, slots(0, 0, 9, 1), false, book)
    check.check(100, 1, slots(0, 0, 7, 0), false, book)
    expect(() => check.check(100, 1, slots(0, 0, 7, 1), false, book)).toThrow('I-06')
  })

  test('that is missing is held under the policy repeat, but a one-shot is not', () => {
    const { check, book } = checkOf('repeat')
    check.keep(slots(7, 1, 7, 1))
    check.check(100, 0, slots(7, 0, 7, 1), true, book)
    expect(() => check.check(100, 1, slots(7, 0, 7, 1), true, book)).toThrow('by the policy repeat')
  })

  test('may be absent without being missing only while a match begins', () => {
    const { check, book } = checkOf('idle')
    check.check(18, 0, slots(5, 0, 5, 0), false, book)
    expect(() => check.check(19, 0, slots(5, 0, 5, 0), false, book)).toThrow('I-06')
  })
})

/** The check of a match that begins with two seats taken. */
function seatCheck(): SeatCheck {
  const check = new SeatCheck(new World({ seed: 1 }))
  check.noteTaken(2)
  return check
}

describe('I-19 who comes and goes', () => {
  const join = (seat: number) => ({ type: 'join', seat }) as const
  const leave = (seat: number) => ({ type: 'leave', seat, reason: 'left' }) as const

  function begun() {
    const check = seatCheck()
    check.noteEvents(1, [join(0), join(1)])
    return check
  }

  test('before the first tick is in it', () => {
    const check = seatCheck()
    check.noteTaken(3)
    check.noteEvents(1, [join(0), join(1), join(2)])
    const other = seatCheck()
    other.noteTaken(3)
    expect(() => other.noteEvents(1, [join(0), join(1)])).toThrow('I-19')
  })

  test('is in the ticks, a leave in the very next one', () => {
    const check = begun()
    check.noteLeft(1)
    check.noteEvents(2, [leave(1)])
    expect([check.isTaken(0), check.isTaken(1)]).toEqual([true, false])
    check.noteLeft(0)
    expect(() => check.noteEvents(3, [])).toThrow('seat 0 was left')
  })

  test('is there once', () => {
    expect(() => begun().noteEvents(2, [join(1)])).toThrow('joined twice')
    const check = begun()
    check.noteEvents(2, [leave(1)])
    expect(() => check.noteEvents(3, [leave(1)])).toThrow('left empty')
  })

  test('is everybody when the match begins', () => {
    const check = seatCheck()
    expect(() => check.noteEvents(1, [join(0)])).toThrow('1 of 2 seats')
  })

  test('counts for nothing when it was over before a tick could tell', () => {
    const check = seatCheck()
    check.noteLeft(1)
    check.noteEvents(1, [join(0), join(1)])
    expect(check.isTaken(1)).toBe(true)
  })
})

describe('I-07 the pace of a relay', () => {
  function sealEvery(stepsMs: readonly number[]): void {
    const world = new World({ seed: 1 })
    const pace = new PaceCheck(world, 30)
    let atMs = 0
    for (const [index, stepMs] of stepsMs.entries()) {
      atMs += stepMs
      world.runUntil(atMs)
      pace.noteSealed(index + 1)
    }
  }
  const steps = (count: number, ms: number) => Array.from({ length: count }, () => ms)

  test('may double for a moment after a stall', () => {
    sealEvery([...steps(20, 33.4), 800, ...steps(12, 16.7), ...steps(40, 33.4)])
  })

  test('is that of the fastest ticks in sight, also when it fell twice', () => {
    const world = new World({ seed: 1 })
    const pace = new PaceCheck(world, 5)
    const percents = [...steps(40, 125), ...steps(31, 100), ...steps(40, 50)]
    let atMs = 0
    for (const [index, percent] of percents.entries()) {
      atMs += 20_000 / percent
      world.runUntil(atMs)
      pace.noteSealed(index + 1, percent)
    }
    expect(() => {
      for (let tick = 112; tick < 118; tick++) pace.noteSealed(tick, 50)
    }).toThrow('I-07')
  })

  test('is never a burst', () => {
    expect(() => sealEvery([...steps(20, 33.4), 800, ...steps(6, 0)])).toThrow('The 6 ticks')
  })

  test('does not stay doubled', () => {
    expect(() => sealEvery([...steps(20, 33.4), 5_000, ...steps(40, 16.7)])).toThrow('The 30 ticks')
  })
})

test('L-07 late inputs count from the restart on, and not for whose line is away', () => {
  const book = new LateBook()
  for (const seat of [0, 1]) book.note(seat, true)
  expect([0, 1].map((seat) => book.shareOf(seat))).toEqual([1, 1])
  book.restart([1])
  for (const isLate of [true, false, false, false]) {
    for (const seat of [0, 1]) book.note(seat, isLate)
  }
  expect([0, 1].map((seat) => book.shareOf(seat))).toEqual([0.25, 0])
})
