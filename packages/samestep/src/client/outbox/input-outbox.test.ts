import { expect, test } from 'vitest'
import { inputsPerTurnMax } from '../../wire/limits.ts'
import { InputMapping } from '../../wire/ticks/input-layout.ts'
import { SlotDelta } from '../../wire/ticks/slot-delta.ts'
import { counter } from '../testing/counter.ts'
import { InputOutbox } from './input-outbox.ts'

const { fields } = counter.inputCodec

function make() {
  const mapping = new InputMapping(fields)
  const outbox = new InputOutbox(fields, mapping, new SlotDelta(mapping.layout))
  const slots = new Uint32Array(2 * inputsPerTurnMax)
  /** What is taken: `[tick, dx, fire]` each. */
  const take = (isRepeating: boolean, sentTick = 0) => {
    const { first, count } = outbox.take(isRepeating, sentTick, slots)
    return Array.from({ length: count }, (_, index) => {
      const record: { [name: string]: unknown; dx?: unknown; fire?: unknown } = {}
      mapping.fromSlots(slots, 2 * index, record)
      return [first + index, record.dx, record.fire]
    })
  }
  return { outbox, take }
}

test('what is held is sampled once per tick, and one-shots are let go after one', () => {
  const { outbox, take } = make()
  outbox.hold({ dx: 1, fire: true })
  for (let tick = 1; tick <= 3; tick++) outbox.sampleUpTo(tick)
  expect(outbox.inputTick).toBe(3)
  expect(take(true)).toEqual([
    [1, 1, true],
    [2, 1, false],
    [3, 1, false],
  ])
})

test('of several ticks at once, what happens once happens in the last: the others may be sealed', () => {
  const { outbox, take } = make()
  outbox.sampleUpTo(1)
  outbox.hold({ dx: 2, fire: true })
  outbox.sampleUpTo(4)
  outbox.sampleUpTo(5)
  expect(take(true)).toEqual([
    [1, 0, false],
    [2, 2, false],
    [3, 2, false],
    [4, 2, true],
    [5, 2, false],
  ])
})

test('while fewer ticks are wanted than were sampled, a press waits for the next that is', () => {
  const { outbox, take } = make()
  outbox.sampleUpTo(6)
  outbox.hold({ fire: true })
  for (const tick of [4, 5, 6]) outbox.sampleUpTo(tick)
  expect(take(true).some(([, , fire]) => fire)).toBe(false)
  outbox.sampleUpTo(7)
  outbox.sampleUpTo(8)
  expect(take(true).filter(([, , fire]) => fire)).toEqual([[7, 0, true]])
})

test('what was sampled for a tick stays as it is', () => {
  const { outbox, take } = make()
  outbox.sampleUpTo(2)
  outbox.hold({ dx: -2 })
  outbox.sampleUpTo(2)
  outbox.sampleUpTo(3)
  expect(take(true)).toEqual([
    [1, 0, false],
    [2, 0, false],
    [3, -2, false],
  ])
})

test('a one-shot that is set again before the next tick is one shot', () => {
  const { outbox, take } = make()
  outbox.hold({ fire: true })
  outbox.hold({ fire: true })
  outbox.sampleUpTo(1)
  outbox.sampleUpTo(2)
  expect(take(true).map(([, , fire]) => fire)).toEqual([true, false])
})

test('on a stream each input is sent once, on datagrams until its tick is sealed', () => {
  const { outbox, take } = make()
  outbox.sampleUpTo(4)
  expect(take(false, 2).map(([tick]) => tick)).toEqual([3, 4])
  outbox.dropUpTo(1)
  expect(take(true).map(([tick]) => tick)).toEqual([2, 3, 4])
  outbox.dropUpTo(9)
  expect(take(true)).toEqual([])
  outbox.sampleUpTo(10)
  expect(take(true).map(([tick]) => tick)).toEqual([5, 6, 7, 8, 9, 10])
})

test('no more is kept than a turn can carry, also after a leap', () => {
  const { outbox, take } = make()
  outbox.sampleUpTo(300)
  expect(take(true)[0]?.[0]).toBe(300 - inputsPerTurnMax + 1)
  outbox.sampleUpTo(10_000)
  expect(take(true)).toHaveLength(inputsPerTurnMax)
  expect(take(true).at(-1)?.[0]).toBe(10_000)
})

test('a field or value that is none of the game is refused, and what was held stays', () => {
  const { outbox, take } = make()
  outbox.hold({ dx: 1 })
  expect(() => outbox.hold({ dz: 1 })).toThrowError(
    "Cannot hold 'dz': the input fields are dx, fire",
  )
  expect(() => outbox.hold({ fire: true, dx: 7 })).toThrowError(/input\.dx/)
  outbox.sampleUpTo(1)
  expect(take(true)).toEqual([[1, 1, false]])
})
