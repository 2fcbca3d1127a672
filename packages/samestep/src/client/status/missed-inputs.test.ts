import { expect, test } from 'vitest'
import { MissedInputs } from './missed-inputs.ts'

function play(missed: MissedInputs, from: number, count: number, isMissed: boolean): void {
  for (let tick = from; tick < from + count; tick++) missed.note(tick, isMissed)
}

test.each([10, 30, 60, 120, 240])(
  'at %i ticks per second, half of the inputs of three seconds are told of',
  (tickRate) => {
    const missed = new MissedInputs(tickRate)
    const half = 1.5 * tickRate
    play(missed, 1, 5 * tickRate, false)
    play(missed, 5 * tickRate + 1, half - 1, true)
    expect([missed.isMost, missed.total]).toEqual([false, half - 1])
    missed.note(5 * tickRate + half, true)
    expect([missed.isMost, missed.percent, missed.total]).toEqual([true, 50, half])
  },
)

test('what was missed longer ago than that is only counted', () => {
  const missed = new MissedInputs(30)
  play(missed, 1, 90, true)
  expect(missed.percent).toBe(100)
  play(missed, 91, 46, false)
  expect(missed.isMost).toBe(false)
  play(missed, 137, 60, false)
  expect([missed.percent, missed.total]).toEqual([0, 90])
})

test('for another seat it starts again, and all that were missed still count', () => {
  const missed = new MissedInputs(30)
  play(missed, 1, 90, true)
  missed.restart()
  expect([missed.percent, missed.isMost, missed.total]).toEqual([0, false, 90])
})
