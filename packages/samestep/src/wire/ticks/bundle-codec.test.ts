import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BitReader } from '../../base/bit-reader.ts'
import { BitWriter } from '../../base/bit-writer.ts'
import type { LeaveReason, SystemEvent } from '../../sim/game/run/bundle.ts'
import { relaySeat, spectatorSeat } from '../../sim/game/run/bundle.ts'
import { orderBytesMax } from '../../sim/limits.ts'
import { bundleEventsMax, bundleOrdersMax } from '../limits.ts'
import { layouts, rowOf } from '../testing/layouts.ts'
import { refusalOf } from '../testing/properties.ts'
import { slotOf } from '../testing/slot-of.ts'
import { BundleCodec, type BundleContent, type BundleOrder } from './bundle-codec.ts'

const seatCounts = fc.oneof(fc.integer({ min: 1, max: 64 }), fc.constantFrom(1, 2, 8, 63, 64))

const reasons: readonly LeaveReason[] = [
  'left',
  'timeout',
  'kicked',
  'voted-out',
  'refused',
  'relay-closed',
]

function eventsOf(seats: number): fc.Arbitrary<readonly SystemEvent[]> {
  const seat = fc.nat(seats - 1)
  const asker = fc.option(seat, { nil: undefined })
  const event: fc.Arbitrary<SystemEvent> = fc.oneof(
    seat.map((it): SystemEvent => ({ type: 'join', seat: it })),
    fc
      .tuple(seat, fc.constantFrom(...reasons))
      .map(([it, reason]): SystemEvent => ({ type: 'leave', seat: it, reason })),
    asker.map((it): SystemEvent => ({ type: 'pause', seat: it })),
    asker.map((it): SystemEvent => ({ type: 'resume', seat: it })),
    fc.nat(1_023).map((percent): SystemEvent => ({ type: 'speed', percent })),
    fc.nat(63).map((ticks): SystemEvent => ({ type: 'delay', ticks })),
    fc
      .tuple(seat, fc.option(fc.nat(65_535), { nil: undefined }))
      .map(([it, member]): SystemEvent => ({ type: 'hand-over', seat: it, member })),
  )
  return fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(event, { maxLength: 5 }))
}

function ordersOf(seats: number): fc.Arbitrary<readonly BundleOrder[]> {
  const order = fc.tuple(fc.nat(seats - 1), fc.nat(255), fc.uint8Array({ maxLength: 40 }))
  const orders = fc.array(
    order.map(([seat, number, bytes]): BundleOrder => ({ seat, number, bytes })),
    { maxLength: 4 },
  )
  return fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, orders)
}

/** A match in short: what every seat holds in a few ticks, and what else happens. */
const matches = fc.tuple(seatCounts, layouts).chain(([seatCount, layout]) => {
  // Mostly what one of two rows says, so that much stays as it is.
  const rows = fc.array(rowOf(layout), { minLength: 1, maxLength: 3 })
  const tick = fc.record({
    picks: fc.array(fc.nat(5), { minLength: seatCount, maxLength: seatCount }),
    missing: fc.array(fc.nat(seatCount - 1), { maxLength: 3 }),
    orders: ordersOf(seatCount),
    events: eventsOf(seatCount),
  })
  return fc.record({
    seatCount: fc.constant(seatCount),
    layout: fc.constant(layout),
    rows,
    ticks: fc.array(tick, { minLength: 1, maxLength: 5 }),
  })
})

test('a match decodes as it was encoded, tick after tick, without knowing more than the start', () => {
  fc.assert(
    fc.property(matches, ({ seatCount, layout, rows, ticks }) => {
      const codec = new BundleCodec(seatCount, layout)
      const other = new BundleCodec(seatCount, layout)
      const { slotTotal, delta } = codec
      let previous = new Uint32Array(slotTotal)
      for (let seat = 0; seat < seatCount; seat++) {
        delta.writeInitial(previous, seat * delta.slotCount)
      }
      const received = previous.slice()
      const receivedMissing = new Uint8Array(seatCount)
      for (const { picks, missing, orders, events } of ticks) {
        const current = previous.slice()
        picks.forEach((pick, seat) => {
          const row = rows[pick % rows.length] as number[]
          if (pick < 3) current.set(row, seat * delta.slotCount)
        })
        const isMissing = new Uint8Array(seatCount)
        for (const seat of missing) isMissing[seat] = 1
        const out = new BitWriter()
        codec.encode(out, { orders, events }, previous, current, isMissing)
        const input = new BitReader(out.finish())
        const content = other.decode(input, received, receivedMissing)
        input.end()
        expect(content).toEqual({ orders, events, wrongSlots: [] })
        expect(received).toEqual(current)
        expect(receivedMissing).toEqual(isMissing)
        previous = current
      }
    }),
    { numRuns: 300 },
  )
})

const quiet = { orders: [], events: [] }

function encode(codec: BundleCodec, content: BundleContent): Uint8Array {
  const out = new BitWriter()
  const slots = new Uint32Array(codec.slotTotal)
  codec.encode(out, content, slots, slots, new Uint8Array(codec.seatCount))
  return out.finish()
}

function decode(codec: BundleCodec, bytes: Uint8Array): BundleContent {
  const input = new BitReader(bytes)
  const slots = new Uint32Array(codec.slotTotal)
  const content = codec.decode(input, slots, new Uint8Array(codec.seatCount))
  input.end()
  return content
}

function bitsToBytes(bits: string): Uint8Array {
  const out = new BitWriter()
  for (const bit of bits.replaceAll(' ', '')) out.bits(Number(bit), 1)
  return out.finish()
}

test.each([1, 8, 64])('a tick in which nothing happens is one byte, with %i seats', (seatCount) => {
  const layout = Array.from({ length: 6 }, () => slotOf(16))
  expect(encode(new BundleCodec(seatCount, layout), quiet)).toEqual(Uint8Array.of(0))
})

test('writes into a message behind whatever is there, and ends on a whole byte', () => {
  const codec = new BundleCodec(2, [])
  const out = new BitWriter()
  out.bits(0xab, 8)
  const none = new Uint32Array(0)
  codec.encode(out, quiet, none, none, new Uint8Array(2))
  codec.encode(out, quiet, none, none, new Uint8Array(2))
  expect([...out.finish()]).toEqual([0xab, 0, 0])
})

describe('orders', () => {
  const codec = new BundleCodec(8, [])
  const order = (length: number): BundleOrder => ({
    seat: 7,
    number: 255,
    bytes: new Uint8Array(length).fill(0xff),
  })

  test.each([0, 1, 31, 32, 33, orderBytesMax])('of %i bytes come back', (length) => {
    const content = { orders: [order(length), order(0), order(length)], events: [] }
    expect(decode(codec, encode(codec, content))).toMatchObject(content)
  })

  test('ORD-08 of the relay and of spectators say so, whatever the number of seats', () => {
    for (const seats of [1, 2, 3, 8, 63, 64]) {
      const own = new BundleCodec(seats, [])
      const issuers = [seats - 1, relaySeat, spectatorSeat(0), spectatorSeat(2 ** 32 - 1), 0]
      const orders = issuers.map((seat) => ({ seat, number: 255, bytes: Uint8Array.of(7) }))
      expect(decode(own, encode(own, { orders, events: [] })).orders).toEqual(orders)
    }
  })

  test('are as many as there may be, and no more', () => {
    const orders = Array.from({ length: bundleOrdersMax }, () => order(0))
    expect(decode(codec, encode(codec, { orders, events: [] })).orders).toHaveLength(
      bundleOrdersMax,
    )
    const more = encode(codec, { orders: [...orders, order(0)], events: [] })
    expect(refusalOf(() => decode(codec, more))).toBe('SS_WIRE_TOO_LARGE')
  })

  test('a small one costs 18 bits beside its bytes in a match of eight, with the marks 23', () => {
    expect(encode(codec, { orders: [order(5)], events: [] }).length).toBe(Math.ceil((23 + 40) / 8))
  })

  test('own their bytes: the packet may be reused', () => {
    const bytes = encode(codec, { orders: [order(4)], events: [] })
    const { orders } = decode(codec, bytes)
    bytes.fill(0)
    expect(orders[0]?.bytes).toEqual(new Uint8Array(4).fill(0xff))
  })
})

test('events are as many as there may be, and no more', () => {
  const codec = new BundleCodec(64, [])
  const event: SystemEvent = { type: 'leave', seat: 63, reason: 'timeout' }
  const events = new Array<SystemEvent>(bundleEventsMax).fill(event)
  expect(decode(codec, encode(codec, { orders: [], events })).events).toEqual(events)
  const more = encode(codec, { orders: [], events: [...events, event] })
  expect(refusalOf(() => decode(codec, more))).toBe('SS_WIRE_TOO_LARGE')
})

describe('refuses', () => {
  const button = [slotOf(1)]

  test.each([
    ['a long form of nothing but changed inputs', 3, '0 1000 001', 'NOT_CANONICAL'],
    ['changed inputs of no seat', 3, '1 000', 'NOT_CANONICAL'],
    ['missing inputs of no seat', 3, '0 0100 000', 'NOT_CANONICAL'],
    ['a list of no events', 3, '0 0001 00000000', 'NOT_CANONICAL'],
    ['an event of kind 7', 3, '0 0001 10000000 111', 'UNKNOWN'],
    ['a hand-over of a seat that there is not', 3, '0 0001 10000000 011 11', 'OUT_OF_RANGE'],
    ['a join of a seat that there is not', 3, '0 0001 10000000 000 11', 'OUT_OF_RANGE'],
    ['an order of a seat that there is not', 5, '0 0010 011 00000000 000000 0', 'OUT_OF_RANGE'],
    ['an order of a spectator of no number', 3, '0 0010 11 1 00000000', 'TRUNCATED'],
    ['a pause by a seat that there is not', 3, '0 0001 10000000 010 1100000', 'OUT_OF_RANGE'],
    ['a reason that there is not', 3, '0 0001 10000000 100 00 011', 'OUT_OF_RANGE'],
    ['a long form of a short length', 1, '0 0010 0 00000000 1 11111000000', 'NOT_CANONICAL'],
    ['an order that is too long', 1, '0 0010 0 00000000 1 10000000001', 'TOO_LARGE'],
    ['an order that is not there', 1, '0 0010 0 00000000 0 11111', 'TRUNCATED'],
    ['padding that is not zero', 1, '0 0000 001', 'NOT_CANONICAL'],
    ['no bytes', 1, '', 'TRUNCATED'],
  ])('%s', (_title, seatCount, bits, code) => {
    const codec = new BundleCodec(seatCount, button)
    expect(refusalOf(() => decode(codec, bitsToBytes(bits)))).toBe(`SS_WIRE_${code}`)
  })
})

test('whatever is refused leaves the codec as good as new', () => {
  const codec = new BundleCodec(8, [slotOf(4)])
  const content = { orders: [{ seat: 1, number: 2, bytes: Uint8Array.of(3) }], events: [] }
  const bytes = encode(codec, content)
  expect(refusalOf(() => decode(codec, Uint8Array.of(0xff, 0xff)))).toBeDefined()
  expect(encode(codec, content)).toEqual(bytes)
  expect(decode(codec, bytes)).toMatchObject(content)
})

test('T-40 a value that is none of its slot is read as the initial one, and what follows builds on that', () => {
  const layout = [{ ...slotOf(3, 1), max: 4 }, slotOf(4)]
  const codec = new BundleCodec(2, layout)
  const sealed = [
    [1, 0, 1, 0],
    [1, 0, 6, 9],
    [1, 0, 7, 9],
  ].map((slots) => Uint32Array.from(slots))
  const read = Uint32Array.from(sealed[0]!)
  const wrong = [1, 2].map((tick) => {
    const out = new BitWriter()
    const content = { orders: [], events: [] }
    codec.encode(out, content, sealed[tick - 1]!, sealed[tick]!, new Uint8Array(2))
    return codec.decode(new BitReader(out.finish()), read, new Uint8Array(2)).wrongSlots
  })
  expect(wrong).toEqual([[{ seat: 1, mask: 1 }], []])
  // One more than the initial value, as the second tick was one more than what nobody took.
  expect([...read]).toEqual([1, 0, 2, 9])
})
