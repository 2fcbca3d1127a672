import { expect, test } from 'vitest'
import { inputAheadTicksMax } from '../../wire/limits.ts'
import { InputMargins } from './input-margins.ts'

/** All margins of these tests have so many seats. */
const seats = 3

/** Seals a tick and gives what was told: seat, margin, delay, held. */
function seal(margins: InputMargins, tick: number, nowMs: number): number[][] {
  const told: number[][] = []
  margins.noteSealed(tick, nowMs)
  for (let seat = 0; seat < seats; seat++) {
    if (!margins.isInTime(seat)) continue
    told.push([seat, margins.marginMs(seat), margins.delayOf(seat), margins.heldMs(seat)])
  }
  return told
}

test('the margin of an input in time is known when its tick is sealed, with how it was made', () => {
  const margins = new InputMargins(seats)
  margins.noteKept(2, 7, 4, 11, 1_000)
  margins.noteKept(0, 7, 3, 0, 1_030)
  margins.noteKept(1, 8, 3, 0, 1_040)
  expect(seal(margins, 7, 1_050)).toEqual([
    [0, 20, 3, 0],
    [2, 50, 4, 11],
  ])
  expect(seal(margins, 8, 1_100)).toEqual([[1, 60, 3, 0]])
  expect(seal(margins, 9, 1_150)).toEqual([])
})

test('that of a late one is negative: since the seal that it missed', () => {
  const margins = new InputMargins(seats)
  seal(margins, 7, 1_000)
  seal(margins, 8, 1_050)
  expect(margins.lateMarginMs(7, 8, 1_080)).toBe(-80)
  expect(margins.lateMarginMs(8, 8, 1_080)).toBe(-30)
})

test('of one that is later than inputs can be early, nothing is said', () => {
  const margins = new InputMargins(seats)
  const last = 1 + inputAheadTicksMax
  for (let tick = 1; tick <= last; tick++) seal(margins, tick, tick * 50)
  expect(margins.lateMarginMs(1, last, last * 50)).toBeUndefined()
  expect(margins.lateMarginMs(2, last, last * 50)).toBe(-(inputAheadTicksMax - 1) * 50)
})

test('what waits for one tick is never taken for another, however often the ring turns', () => {
  const margins = new InputMargins(seats)
  for (let tick = 1; tick < 1_000; tick++) {
    if (tick % 3 === 0) margins.noteKept(1, tick + inputAheadTicksMax, 2, 0, tick * 50)
    const told = seal(margins, tick, tick * 50)
    const isExpected = tick > inputAheadTicksMax && (tick - inputAheadTicksMax) % 3 === 0
    expect(told).toEqual(isExpected ? [[1, inputAheadTicksMax * 50, 2, 0]] : [])
  }
})

test('a delay that is too long to tell is the longest, not a short one', () => {
  const margins = new InputMargins(seats)
  margins.noteKept(0, 5, 300, 0, 0)
  expect(seal(margins, 5, 10)).toEqual([[0, 10, 255, 0]])
})

test('inputs for far ticks find room, and lose nothing of those that wait already', () => {
  const margins = new InputMargins(seats)
  seal(margins, 1_000, 0)
  for (let ahead = 1; ahead <= inputAheadTicksMax; ahead++) {
    margins.noteKept(ahead % seats, 1_000 + ahead, 5, 7, ahead)
  }
  for (let ahead = 1; ahead <= inputAheadTicksMax; ahead++) {
    const told = seal(margins, 1_000 + ahead, 500)
    expect(told).toEqual([[ahead % seats, 500 - ahead, 5, 7]])
  }
})
