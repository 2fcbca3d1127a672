import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { orderFrameBits } from '../../wire/limits.ts'
import { ModelQueue } from '../testing/model-queue.ts'
import type { WaitingOrder } from './fair-queue.ts'
import { FairQueue } from './fair-queue.ts'
import { OrderRulebook, TickCaps } from './orders/order-table.ts'

let serial = 0
function order(seat: number, arrivedAtMs: number, size = 4): WaitingOrder {
  return { seat, number: serial++ % 256, bytes: new Uint8Array(size), arrivedAtMs }
}

function bitsOf(orders: readonly WaitingOrder[]): number {
  return orders.reduce((sum, { bytes }) => sum + orderFrameBits + bytes.byteLength * 8, 0)
}

const seatsOf = (orders: readonly WaitingOrder[]): number[] => orders.map(({ seat }) => seat)
const frame = (size: number): number => orderFrameBits + size * 8

describe('without pressure', () => {
  test('everything goes in the sequence of arrival, of the same instant by seat', () => {
    const queue = new FairQueue(4, 128)
    const orders = [order(3, 1), order(1, 1), order(2, 2), order(0, 2), order(1, 2), order(1, 2)]
    for (const one of orders) queue.add(one)
    const [a, b, c, d, e, f] = orders
    expect(queue.take(10_000, 127)).toEqual([b, a, d, e, f, c])
    expect([queue.length, queue.take(10_000, 127)]).toEqual([0, []])
  })

  test('a clock that is set back does not turn the sequence of a seat around', () => {
    const queue = new FairQueue(2, 128)
    const first = order(0, 100)
    const second = order(0, 40)
    queue.add(first)
    queue.add(second)
    expect(queue.take(10_000, 127).map(({ number }) => number)).toEqual([
      first.number,
      second.number,
    ])
  })
})

describe('under pressure', () => {
  test('T-38 a flood waits for itself: others run at once', () => {
    const queue = new FairQueue(3, 128)
    for (let count = 0; count < 5; count++) queue.add(order(0, 1))
    queue.add(order(1, 2))
    queue.add(order(0, 3))
    queue.add(order(2, 4))
    expect(seatsOf(queue.take(4 * frame(4), 127))).toEqual([0, 0, 1, 2])
    expect(seatsOf(queue.take(4 * frame(4), 127))).toEqual([0, 0, 0, 0])
  })

  test('seats share by what their orders weigh, not by how many they are', () => {
    const queue = new FairQueue(2, 200)
    for (let count = 0; count < 100; count++) queue.add(order(0, 1, 10))
    for (let count = 0; count < 100; count++) queue.add(order(1, 1, 100))
    const bits = [0, 0]
    for (let tick = 0; tick < 2; tick++) {
      for (const one of queue.take(8_000, 127)) bits[one.seat]! += bitsOf([one])
    }
    expect(Math.abs(bits[0]! - bits[1]!)).toBeLessThanOrEqual(frame(100))
  })

  test('a large order behind small ones of all others goes within as many ticks as seats', () => {
    const queue = new FairQueue(4, 128)
    queue.add(order(3, 0, 1_000))
    let waited = 0
    for (; queue.waitingOf(3) > 0; waited++) {
      for (const seat of [0, 1, 2]) for (let n = 0; n < 20; n++) queue.add(order(seat, 1, 20))
      queue.take(8_200, 127)
    }
    expect(waited).toBeLessThanOrEqual(4)
  })

  test('one order goes with every tick, whatever its size', () => {
    const queue = new FairQueue(2, 128)
    queue.add(order(0, 0, 1_024))
    queue.add(order(0, 0, 1_024))
    expect(queue.take(100, 127)).toHaveLength(1)
    expect(queue.take(100, 127)).toHaveLength(1)
  })

  test('who was away has saved nothing up', () => {
    const queue = new FairQueue(2, 1_000)
    for (let count = 0; count < 100; count++) queue.add(order(0, 1))
    for (let tick = 0; tick < 5; tick++) queue.take(10 * frame(4), 127)
    for (let count = 0; count < 50; count++) queue.add(order(1, 2))
    const taken = seatsOf(queue.take(10 * frame(4), 127))
    expect(taken.filter((seat) => seat === 0).length).toBeGreaterThanOrEqual(4)
  })
})

test('orders over the cap of their kind hold up only their seat, until the next tick', () => {
  const kind = {
    by: 'player',
    maxBytes: 1_024,
    whenPaused: false,
    maxPerTick: 2,
    classIndex: 0,
  } as const
  const table = { kinds: [kind], classes: [{ perSecond: 0, burst: 0 }] }
  const caps = new TickCaps(new OrderRulebook(table), 2)
  const queue = new FairQueue(2, 128)
  for (const seat of [0, 0, 0, 1, 0, 0]) queue.add(order(seat, 1))
  const ticks: number[][] = []
  while (queue.length > 0) {
    caps.startTick(false)
    ticks.push(seatsOf(queue.take(10_000, 127, caps)))
  }
  expect(ticks).toEqual([[0, 0, 1], [0, 0], [0]])
})

test('ORD-10 in a pause orders go past those that wait for its end, and no tick looks at these twice', () => {
  const kind = {
    by: 'player',
    maxBytes: 1_024,
    whenPaused: false,
    maxPerTick: 9,
    classIndex: 0,
  } as const
  const table = {
    kinds: [kind, { ...kind, whenPaused: true }],
    classes: [{ perSecond: 0, burst: 0 }],
  }
  const caps = new TickCaps(new OrderRulebook(table), 2)
  const queue = new FairQueue(2, 128)
  let looks = 0
  const counter = {
    get isPaused() {
      return caps.isPaused
    },
    isHeld(bytes: Uint8Array) {
      looks += 1
      return caps.isHeld(bytes)
    },
    count: (seat: number, bytes: Uint8Array) => caps.count(seat, bytes),
  }
  const take = (isPaused: boolean) => {
    caps.startTick(isPaused)
    return queue.take(10_000, 127, counter).map(({ number }) => number)
  }
  const add = (number: number, seat: number, kindIndex: number) => {
    queue.add({ seat, number, bytes: Uint8Array.of(kindIndex), arrivedAtMs: number })
  }
  for (const [number, kindIndex] of [0, 1, 0, 1].entries()) add(number, number % 2, kindIndex)
  expect(take(true)).toEqual([1, 3])
  looks = 0
  expect([take(true), take(true), looks]).toEqual([[], [], 0])
  add(4, 0, 1)
  expect([take(true), queue.length]).toEqual([[4], 2])
  add(5, 1, 1)
  expect(take(false)).toEqual([0, 2, 5])
})

test('forgotten seats leave the others their places', () => {
  const queue = new FairQueue(3, 2)
  for (const seat of [0, 1, 0, 2]) queue.add(order(seat, 1))
  expect([queue.hasRoomFor(0), queue.hasRoomFor(1)]).toEqual([false, true])
  expect(() => queue.add(order(0, 1))).toThrowError(/beyond the limit/)
  queue.forgetSeat(0)
  expect([queue.hasRoomFor(0), queue.length]).toEqual([true, 2])
  expect(seatsOf(queue.take(10_000, 127))).toEqual([1, 2])
})

type Step =
  | { readonly kind: 'add'; readonly seat: number; readonly size: number; readonly count: number }
  | { readonly kind: 'wait' }
  | { readonly kind: 'forget'; readonly seat: number }
  | { readonly kind: 'take'; readonly bits: number; readonly count: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      seat: fc.nat(4),
      size: fc.constantFrom(0, 1, 20, 300, 1_024),
      count: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const), seat: fc.nat(4) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('take' as const),
      bits: fc.constantFrom(60, 500, 3_000, 8_000, 40_000),
      count: fc.constantFrom(1, 3, 127),
    }),
  },
)

test('T-38 on any arrivals it takes what a naive model takes: bounded, in sequence, none lost', () => {
  let pressed = 0
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const queue = new FairQueue(5, 1_000)
      const model = new ModelQueue<WaitingOrder & { readonly atMs: number }>()
      const expected: WaitingOrder[][] = Array.from({ length: 5 }, () => [])
      let nowMs = 0
      const take = (bits: number, count: number): void => {
        const taken = queue.take(bits, count)
        expect(taken).toEqual(model.take(bits, count))
        expect(taken.length).toBeLessThanOrEqual(count)
        if (taken.length > 1) expect(bitsOf(taken)).toBeLessThanOrEqual(bits)
        // Of each seat, the oldest that wait, in their sequence.
        for (const one of taken) expect(expected[one.seat]!.shift()).toBe(one)
        if (queue.length > 0) {
          pressed += 1
          expect(taken.length).toBeGreaterThan(0)
        }
      }
      for (const next of steps) {
        if (next.kind === 'wait') nowMs += 1
        if (next.kind === 'forget') {
          queue.forgetSeat(next.seat)
          model.forgetSeat(next.seat)
          expected[next.seat] = []
        }
        if (next.kind === 'take') take(next.bits, next.count)
        if (next.kind !== 'add') continue
        for (let count = 0; count < next.count; count++) {
          const one = { ...order(next.seat, nowMs, next.size), atMs: nowMs }
          queue.add(one)
          model.add(one)
          expected[next.seat]!.push(one)
        }
      }
      while (queue.length > 0) take(8_000, 127)
      expect(expected.flat()).toEqual([])
    }),
    { numRuns: 200 },
  )
  expect(pressed).toBeGreaterThan(100)
})

test('T-38 a seat that asks for no more than its share never waits longer than a tick', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 8 }),
      fc.array(fc.array(fc.nat(30), { minLength: 8, maxLength: 8 }), { maxLength: 40 }),
      (seats, ticks) => {
        const queue = new FairQueue(seats, 10_000)
        const share = 4
        const bits = seats * share * frame(4)
        for (const [tick, floods] of ticks.entries()) {
          for (let seat = 1; seat < seats; seat++) {
            for (let count = floods[seat]!; count > 0; count--) queue.add(order(seat, tick))
          }
          // One less than the share: the tick before may have ended in the middle of a round.
          for (let count = 1; count < share; count++) queue.add(order(0, tick))
          queue.take(bits, 10_000)
          expect(queue.waitingOf(0)).toBe(0)
        }
      },
    ),
    { numRuns: 100 },
  )
})
