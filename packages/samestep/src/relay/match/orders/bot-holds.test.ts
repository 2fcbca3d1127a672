import { expect, test } from 'vitest'
import { slotOf } from '../../../wire/testing/slot-of.ts'
import { SlotDelta } from '../../../wire/ticks/slot-delta.ts'
import { BotHolds } from './bot-holds.ts'

function make() {
  const holds = new BotHolds(2, new SlotDelta([slotOf(8, 100), slotOf(4, 5, true)]))
  const tick = (seat = 1) => {
    const out = new Uint32Array(2)
    return holds.write(seat, out, 0) ? [...out] : undefined
  }
  return { holds, tick }
}

test('ORD-18 a bot holds on, and fires once', () => {
  const { holds, tick } = make()
  expect([tick(), tick(0)]).toEqual([undefined, undefined])
  holds.hold(1, [7, 9])
  expect([tick(), tick(), tick(0)]).toEqual([[7, 9], [7, 5], undefined])
})

test('a shot that no tick had yet is not lost to the next change', () => {
  const { holds, tick } = make()
  holds.hold(1, [7, 9])
  holds.hold(1, [8, 5])
  expect([tick(), tick()]).toEqual([
    [8, 9],
    [8, 5],
  ])
  holds.hold(1, [8, 9])
  holds.hold(1, [8, 11])
  expect(tick()).toEqual([8, 11])
})

test('who gives the seat up holds nothing', () => {
  const { holds, tick } = make()
  holds.hold(1, [7, 9])
  holds.release(1)
  expect(tick()).toBeUndefined()
})
