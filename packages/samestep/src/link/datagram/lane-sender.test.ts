import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { laneMessageBytesMax, laneQueueBytesMax, segmentBytesMin } from '../limits.ts'
import { LaneSender } from './lane-sender.ts'

describe('LaneSender', () => {
  test('cuts a message to the room, and numbers the pieces across the wrap', () => {
    const lane = new LaneSender(8, 65_535)
    lane.offer(Uint8Array.from({ length: 500 }, (_, at) => at & 255))
    const first = lane.take(304, 1)
    const second = lane.take(304, 2)
    expect(first).toMatchObject({ number: 65_535, start: 0, end: 300, isLast: false })
    expect(second).toMatchObject({ number: 0, start: 300, end: 500, isLast: true })
    expect(lane.take(304, 3)).toBeUndefined()
    expect(lane.inFlightBytes).toBe(500)
  })

  test('makes no crumbs, but puts a whole message into any room', () => {
    const lane = new LaneSender(8, 0)
    lane.offer(new Uint8Array(segmentBytesMin + 1))
    expect(lane.take(segmentBytesMin + 3, 1)).toBeUndefined()
    expect(lane.take(segmentBytesMin + 4, 1)).toMatchObject({ end: segmentBytesMin })
    expect(lane.take(5, 1)).toMatchObject({ end: segmentBytesMin + 1, isLast: true })
  })

  test('keeps a copy: the caller may use its memory again', () => {
    const lane = new LaneSender(8, 0)
    const message = Buffer.from([1, 2, 3])
    lane.offer(message)
    message.fill(9)
    expect(lane.take(100, 1)?.message).toEqual(Uint8Array.of(1, 2, 3))
  })

  test('sends lost pieces again before new ones, as they were', () => {
    const lane = new LaneSender(8, 0)
    for (let index = 0; index < 4; index++) lane.offer(Uint8Array.of(index))
    lane.take(100, 1)
    lane.take(100, 1)
    lane.take(100, 2)
    expect(lane.handleLost(1)).toBe(2)
    expect(lane.packetsInFlight()).toEqual([2])
    expect(lane.take(100, 3)).toMatchObject({ number: 0, isResent: true })
    expect(lane.take(100, 3)).toMatchObject({ number: 1, isResent: true })
    expect(lane.take(100, 3)).toMatchObject({ number: 3, isResent: false })
  })

  test('a second verdict over the same packet changes nothing', () => {
    const lane = new LaneSender(8, 0)
    for (let index = 0; index < 2; index++) lane.offer(Uint8Array.of(index))
    lane.take(100, 1)
    lane.take(100, 2)
    expect([lane.handleLost(1), lane.handleLost(1)]).toEqual([1, 0])
    expect([lane.handleAcked(2), lane.handleAcked(2), lane.handleLost(2)]).toEqual([1, 0, 0])
    expect(lane.inFlightCount).toBe(0)
    expect(lane.take(100, 3)).toMatchObject({ number: 0 })
    expect(lane.isWaiting).toBe(false)
  })

  test('a late acknowledgement saves the second transmission', () => {
    const lane = new LaneSender(8, 0)
    lane.offer(Uint8Array.of(1))
    lane.take(100, 1)
    lane.handleLost(1)
    expect(lane.isWaiting).toBe(true)
    expect(lane.handleAcked(1)).toBe(1)
    expect(lane.isWaiting).toBe(false)
    expect(lane.isEmpty).toBe(true)
  })

  test('stops at its window until the oldest piece arrived', () => {
    const lane = new LaneSender(3, 0)
    for (let index = 0; index < 5; index++) lane.offer(Uint8Array.of(index))
    for (let packet = 1; packet <= 3; packet++) lane.take(100, packet)
    expect(lane.isWaiting).toBe(false)
    lane.handleAcked(2)
    lane.handleAcked(3)
    expect(lane.take(100, 4)).toBeUndefined()
    lane.handleAcked(1)
    expect(lane.take(100, 5)).toMatchObject({ number: 3 })
  })

  test('refuses what does not fit its queue, and takes it when something arrived', () => {
    const lane = new LaneSender(100, 0)
    const message = new Uint8Array(40_000)
    expect([1, 2, 3, 4].map(() => lane.offer(message))).toEqual([true, true, true, false])
    expect(lane.queuedBytes).toBeLessThanOrEqual(laneQueueBytesMax)
    for (let packet = 0; lane.take(1_000, packet) !== undefined; packet++) lane.handleAcked(packet)
    expect(lane.queuedBytes).toBe(0)
    expect(lane.offer(message)).toBe(true)
    expect(lane.offer(new Uint8Array(laneMessageBytesMax))).toBe(true)
    lane.clear()
    expect(lane.isEmpty).toBe(true)
    expect(lane.queuedBytes + lane.inFlightBytes + lane.inFlightCount).toBe(0)
  })

  test.each([0, laneMessageBytesMax + 1])(
    'a message of %i bytes is a bug of the caller',
    (size) => {
      expect(() => new LaneSender(8, 0).offer(new Uint8Array(size))).toThrow(/1 to 65535 bytes/)
    },
  )

  test('bytes in flight are those of taken pieces without a verdict, whatever happens', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('offer' as const), size: fc.integer({ min: 1, max: 900 }) }),
      fc.record({ kind: fc.constant('take' as const), room: fc.integer({ min: 1, max: 400 }) }),
      fc.record({ kind: fc.constantFrom('ack' as const, 'lose' as const), packet: fc.nat(12) }),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), (events) => {
        const lane = new LaneSender(16, 65_530)
        const carried = new Map<number, { packet: number; size: number }>()
        let packet = 0
        for (const what of events) {
          if (what.kind === 'offer') lane.offer(new Uint8Array(what.size))
          else if (what.kind === 'take') {
            const segment = lane.take(what.room, ++packet)
            if (segment) carried.set(segment.number, { packet, size: segment.end - segment.start })
          } else {
            if (what.kind === 'ack') lane.handleAcked(what.packet)
            else lane.handleLost(what.packet)
            for (const [number, was] of carried)
              if (was.packet === what.packet) carried.delete(number)
          }
          const sizes = [...carried.values()].map(({ size }) => size)
          expect(lane.inFlightCount).toBe(sizes.length)
          expect(lane.inFlightBytes).toBe(sizes.reduce((sum, size) => sum + size, 0))
        }
      }),
    )
  })
})
