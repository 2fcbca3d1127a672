import { describe, expect, test } from 'vitest'
import { orderBytesMax } from '../../../sim/limits.ts'
import {
  bundleBytesMax,
  bundleEventsMax,
  bundleOrdersMax,
  datagramBundleBytesMax,
  inputAheadTicksMax,
  waitingOrdersMax,
} from '../../../wire/limits.ts'
import type { MatchConfig } from '../../../wire/messages/messages.ts'
import { slotOf } from '../../../wire/testing/slot-of.ts'
import { checkConfig } from '../../links/door.ts'
import { BundleReader, orderOf, testConfig } from '../../testing/match-kit.ts'
import { Sealer } from './sealer.ts'

function make(changes: Partial<MatchConfig> = {}) {
  const config = { ...testConfig, ...changes }
  const sealer = new Sealer(config)
  const reader = new BundleReader(config)
  return {
    sealer,
    seal: () => reader.read(sealer.seal()),
    order: (seat: number, number: number, arrivedAtMs: number, size = 4) =>
      sealer.addOrder({ seat, number, bytes: orderOf(number, size), arrivedAtMs }),
    input: (seat: number, tick: number, ...slots: number[]) =>
      sealer.addInput(seat, tick, Uint32Array.from(slots), 0),
  }
}

const initial = [100, 0, 5]

test('inputs for far ticks find room, and lose nothing of those that wait already', () => {
  const { sealer, seal, input } = make()
  for (let tick = 1; tick <= 32; tick++) seal()
  const first = sealer.sealedTick + 1
  for (let ahead = 0; ahead < inputAheadTicksMax; ahead++) {
    expect(input(ahead % 2, first + ahead, 100 + (ahead % 20), 0, 5)).toBe('kept')
    expect(input(ahead % 2, first + ahead, 1, 0, 5)).toBe('known')
  }
  sealer.expectInputs(0, first)
  sealer.expectInputs(1, first)
  for (let ahead = 0; ahead < inputAheadTicksMax; ahead++) {
    expect(seal().inputs[ahead % 2]?.[0]).toBe(100 + (ahead % 20))
  }
})

describe('orders', () => {
  test('run at the next tick, in the sequence in which they arrived', () => {
    const { seal, order } = make()
    order(1, 0, 10)
    order(0, 0, 11)
    order(1, 1, 12)
    expect(seal().orders.map(({ seat, number }) => [seat, number])).toEqual([
      [1, 0],
      [0, 0],
      [1, 1],
    ])
    expect(seal().orders).toEqual([])
  })

  test('of the same instant run by seat, whichever socket was read first', () => {
    const { seal, order } = make({ seats: 4 })
    for (const seat of [3, 0, 2, 1]) order(seat, 0, 5)
    expect(seal().orders.map(({ seat }) => seat)).toEqual([0, 1, 2, 3])
  })

  test('of one seat keep their sequence', () => {
    const { seal, order } = make()
    for (let number = 0; number < 20; number++) order(number % 2, number, 7)
    const { orders } = seal()
    for (const seat of [0, 1]) {
      const own = orders.filter((order) => order.seat === seat).map(({ number }) => number)
      expect(own).toEqual(own.toSorted((a, b) => a - b))
    }
  })

  test('that do not fit keep their places for the next tick, and none is lost', () => {
    const { seal, order, sealer } = make()
    for (let number = 0; number < 12; number++) order(number % 2, number, number, 300)
    const sealed: number[] = []
    let ticks = 0
    for (; sealer.waitingOrders > 0; ticks++) {
      const bytes = sealed.length
      sealed.push(...seal().orders.map(({ number }) => number))
      expect(sealed.length).toBeGreaterThan(bytes)
    }
    expect(ticks).toBe(4)
    expect(sealed).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  })

  test('are taken until a bundle fills one datagram, and no further', () => {
    const { sealer, order } = make()
    for (let number = 0; number < 100; number++) order(0, number, 0, 40)
    const { byteLength } = sealer.seal()
    expect(byteLength).toBeLessThanOrEqual(datagramBundleBytesMax)
    expect(byteLength).toBeGreaterThan(datagramBundleBytesMax - 60)
  })

  test('share a tick also in a match whose inputs could fill a datagram, but do not', () => {
    const inputSlots = Array.from({ length: 12 }, () => slotOf(32))
    const { seal, order } = make({ seats: 32, inputSlots })
    for (let seat = 0; seat < 32; seat++) order(seat, 0, seat)
    expect(seal().orders).toHaveLength(32)
  })

  test('are taken up to the limit of one tick, however small they are', () => {
    const { order, seal } = make()
    for (let number = 0; number < 100; number++) {
      order(0, number, 0, 0)
      order(1, number, 0, 0)
    }
    expect(seal().orders).toHaveLength(bundleOrdersMax)
    expect(seal().orders).toHaveLength(200 - bundleOrdersMax)
  })

  test('of the largest size always go, one in each tick at least', () => {
    // Inputs that alone fill most of a datagram.
    const slots = Array.from({ length: 16 }, () => slotOf(8))
    const { order, seal } = make({ seats: 48, inputSlots: slots })
    order(0, 0, 0, orderBytesMax)
    order(0, 1, 0, orderBytesMax)
    expect(seal().orders.map(({ number }) => number)).toEqual([0])
    expect(seal().orders.map(({ number }) => number)).toEqual([1])
  })

  test('of one seat wait in limited number, and leave the others their room', () => {
    const { sealer, order, seal } = make()
    for (let number = 0; number < waitingOrdersMax; number++) order(0, number % 256, 0)
    expect([sealer.hasRoomFor(0), sealer.hasRoomFor(1)]).toEqual([false, true])
    expect(() => order(0, 1, 0)).toThrowError(/beyond the limit/)
    seal()
    expect(sealer.hasRoomFor(0)).toBe(true)
  })

  test('of a seat can be forgotten while they wait', () => {
    const { sealer, order, seal } = make()
    order(0, 0, 0)
    order(1, 0, 0)
    sealer.forgetOrders(0)
    expect(sealer.waitingOrders).toBe(1)
    expect(seal().orders.map(({ seat }) => seat)).toEqual([1])
    for (let number = 0; number < waitingOrdersMax; number++) order(0, number, 0)
    expect(sealer.hasRoomFor(0)).toBe(false)
  })
})

describe('inputs', () => {
  test('count at the tick that they are stamped for', () => {
    const { input, seal } = make()
    expect(input(0, 2, 7, 1, 9)).toBe('kept')
    expect(seal().inputs[0]).toEqual(initial)
    expect(seal().inputs[0]).toEqual([7, 1, 9])
  })

  test('ORD-13 count once: the first for a tick, whatever is said later', () => {
    const { input, seal } = make()
    expect(input(0, 1, 7, 1, 5)).toBe('kept')
    expect(input(0, 1, 8, 0, 5)).toBe('known')
    expect(seal().inputs[0]).toEqual([7, 1, 5])
    expect(input(0, 1, 9, 0, 5)).toBe('late')
  })

  test('are refused when their tick is sealed, or too far ahead', () => {
    const { input, seal } = make()
    expect(input(0, inputAheadTicksMax, ...initial)).toBe('kept')
    expect(input(0, inputAheadTicksMax + 1, ...initial)).toBe('too-early')
    seal()
    expect(input(0, 1, ...initial)).toBe('late')
    expect(input(0, inputAheadTicksMax + 1, ...initial)).toBe('kept')
  })

  test('wait in a ring that never mixes up two ticks', () => {
    const { input, seal } = make()
    for (let tick = 1; tick <= 500; tick++) {
      input(0, tick + 20, (tick + 20) % 256, 0, 5)
      const [slots] = seal().inputs
      expect(slots).toEqual(tick <= 20 ? initial : [tick % 256, 0, 5])
    }
  })

  test('of a seat without a player are the initial ones, and are not called missing', () => {
    const { seal } = make({ missing: { kind: 'repeat', waitMs: 0 } })
    expect(seal()).toMatchObject({ inputs: [initial, initial], missing: [false, false] })
  })

  test('of a seat that was left are the initial ones again, also those that had arrived', () => {
    const { sealer, input, seal } = make({ missing: { kind: 'repeat', waitMs: 0 } })
    sealer.expectInputs(0, 1)
    input(0, 1, 7, 1, 5)
    input(0, 2, 8, 1, 5)
    seal()
    sealer.forgetInputs(0)
    expect(seal()).toMatchObject({ inputs: [initial, initial], missing: [false, false] })
  })

  test.each([
    ['idle', initial],
    ['repeat', [7, 1, 5]],
    ['wait', [7, 1, 5]],
  ] as const)(
    'that are missing are decided by the policy %s, one-shots never twice',
    (kind, held) => {
      const { sealer, input, seal } = make({ missing: { kind, waitMs: 10 } })
      sealer.expectInputs(0, 1)
      input(0, 1, 7, 1, 15)
      expect(seal()).toMatchObject({ inputs: [[7, 1, 15], initial], missing: [false, false] })
      for (let times = 0; times < 3; times++) {
        expect(seal()).toMatchObject({ inputs: [held, initial], missing: [true, false] })
      }
      input(0, 5, 9, 0, 5)
      expect(seal()).toMatchObject({ inputs: [[9, 0, 5], initial], missing: [false, false] })
    },
  )

  test('are not missing before they are expected', () => {
    const { sealer, seal } = make()
    sealer.expectInputs(1, 3)
    const missing = [seal(), seal(), seal()].map((bundle) => bundle.missing[1])
    expect(missing).toEqual([false, false, true])
  })

  test('make a tick complete when every expected one is here', () => {
    const { sealer, input, seal } = make()
    expect(sealer.isComplete).toBe(true)
    sealer.expectInputs(0, 1)
    sealer.expectInputs(1, 2)
    expect(sealer.isComplete).toBe(false)
    input(0, 1, ...initial)
    expect(sealer.isComplete).toBe(true)
    seal()
    input(0, 2, ...initial)
    expect(sealer.isComplete).toBe(false)
  })

  test('of a bot go on behind a crash as they were held, and a shot is not fired again', () => {
    const { sealer, seal } = make()
    expect(sealer.holdInput(1, [7, 1, 9])).toBe(true)
    expect(seal().inputs[1]).toEqual([7, 1, 9])
    const restored = make().sealer
    restored.restore(sealer.sealedTick, sealer.inputs, false)
    restored.holdOn(1)
    restored.seal()
    expect([...restored.inputs.subarray(3)]).toEqual([7, 1, 5])
  })

  test('of a game without inputs are never missing', () => {
    const { sealer, seal } = make({ inputSlots: [] })
    sealer.expectInputs(0, 1)
    expect(seal().missing).toEqual([false, false])
  })
})

describe('events', () => {
  test('are sealed with the next tick, in their sequence', () => {
    const { sealer, seal } = make()
    sealer.addEvent({ type: 'join', seat: 1 })
    sealer.addEvent({ type: 'join', seat: 0 })
    expect(seal().events).toEqual([
      { type: 'join', seat: 1 },
      { type: 'join', seat: 0 },
    ])
    expect(seal().events).toEqual([])
  })

  test('of who comes and goes within one tick are none, and his orders never ran', () => {
    const { sealer, seal, order } = make()
    sealer.addEvent({ type: 'join', seat: 0 })
    sealer.addEvent({ type: 'join', seat: 1 })
    order(0, 0, 0)
    sealer.addEvent({ type: 'leave', seat: 0, reason: 'left' })
    expect(seal()).toMatchObject({ events: [{ type: 'join', seat: 1 }], orders: [] })
  })

  test('of who goes and of his successor are both told', () => {
    const { sealer, seal } = make()
    sealer.addEvent({ type: 'join', seat: 0 })
    seal()
    const events = [
      { type: 'leave', seat: 0, reason: 'kicked' },
      { type: 'join', seat: 0 },
    ] as const
    for (const event of events) sealer.addEvent(event)
    expect(seal().events).toEqual(events)
  })

  test('beyond the limit of one tick wait for the next', () => {
    const { sealer, seal } = make()
    for (let count = 0; count <= bundleEventsMax; count++) {
      sealer.addEvent({ type: 'speed', percent: count })
    }
    expect(seal().events).toHaveLength(bundleEventsMax)
    expect(seal().events).toEqual([{ type: 'speed', percent: bundleEventsMax }])
  })
})

test('the largest bundle of the largest match that the door lets in fits its limit', () => {
  const slots = Array.from({ length: 8 }, () => slotOf(32))
  const config = { ...testConfig, seats: 64, inputSlots: slots }
  expect(checkConfig(config)).toBeUndefined()
  const { sealer, order, input } = make(config)
  for (let seat = 0; seat < 64; seat++) {
    sealer.addEvent({ type: 'leave', seat, reason: 'kicked' })
    sealer.addEvent({ type: 'join', seat })
    input(seat, 1, ...slots.map(() => 0x7fff_ffff))
  }
  order(0, 0, 0, orderBytesMax)
  order(0, 1, 0, orderBytesMax)
  const { byteLength } = sealer.seal()
  expect(byteLength).toBeGreaterThan(datagramBundleBytesMax)
  expect(byteLength).toBeLessThanOrEqual(bundleBytesMax)
})

test('the same arrivals give the same bytes', () => {
  const sealed = [0, 1].map(() => {
    const { sealer, order, input } = make()
    const bytes: number[] = []
    for (let tick = 1; tick <= 50; tick++) {
      order(tick % 2, tick, tick)
      input(0, tick, tick, tick % 2, 5)
      bytes.push(...sealer.seal())
    }
    return bytes
  })
  expect(sealed[0]).toEqual(sealed[1])
})
