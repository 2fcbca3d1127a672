import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Inbox } from '../inbox.ts'
import { bulkSegmentsMax, laneMessageBytesMax, segmentBytesMax } from '../limits.ts'
import { LaneReceiver } from './lane-receiver.ts'
import { low16 } from './sequence.ts'

function make(firstNumber = 0, segmentsMax = 8): { inbox: Inbox; lane: LaneReceiver } {
  const inbox = new Inbox(1_000_000)
  return { inbox, lane: new LaneReceiver('bulk', inbox, { segmentsMax, firstNumber }) }
}

function take(inbox: Inbox): string[] {
  const messages: string[] = []
  for (let message = inbox.poll(); message; message = inbox.poll()) {
    messages.push(Buffer.from(message.bytes).toString('latin1'))
  }
  return messages
}

function give(lane: LaneReceiver, number: number, text: string, isLast = true): boolean {
  const bytes = Buffer.from(`<${text}>`, 'latin1')
  return lane.handleSegment(number, isLast, bytes, 1, bytes.length - 1)
}

describe('LaneReceiver', () => {
  test('gives messages in sequence, once, whatever overtakes or doubles', () => {
    const { inbox, lane } = make(65_535)
    give(lane, 1, 'c')
    give(lane, 1, 'C')
    give(lane, 0, 'b')
    expect(take(inbox)).toEqual([])
    give(lane, 65_535, 'a')
    expect(take(inbox)).toEqual(['a', 'b', 'c'])
    give(lane, 0, 'b')
    give(lane, 65_535, 'a')
    expect(take(inbox)).toEqual([])
    give(lane, 2, 'd')
    expect(take(inbox)).toEqual(['d'])
    expect(lane.heldBytes).toBe(0)
  })

  test('puts pieces together', () => {
    const { inbox, lane } = make()
    give(lane, 2, 'm')
    give(lane, 1, 'lo', false)
    give(lane, 3, 'x')
    give(lane, 0, 'hel', false)
    expect(take(inbox)).toEqual(['hellom', 'x'])
  })

  test('accepts what an honest sender can send: old numbers and the window', () => {
    const { lane } = make(65_530)
    expect(lane.accepts(65_530)).toBe(true)
    expect(lane.accepts(low16(65_530 + 7))).toBe(true)
    expect(lane.accepts(low16(65_530 + 8))).toBe(false)
    expect(lane.accepts(65_529)).toBe(true)
    expect(lane.accepts(40_000)).toBe(true)
    expect(lane.accepts(20_000)).toBe(false)
  })

  test('a message that grows too long is refused, in sequence or behind a gap', () => {
    const piece = new Uint8Array(1_000)
    for (const isReversed of [false, true]) {
      const { inbox, lane } = make(0, bulkSegmentsMax)
      const numbers = Array.from({ length: 66 }, (_, index) => index)
      const results = (isReversed ? numbers.reverse() : numbers).map((number) =>
        lane.handleSegment(number, false, piece, 0, piece.length),
      )
      expect(results.at(-1)).toBe(false)
      expect(results.filter((isGood) => !isGood)).toHaveLength(1)
      expect(inbox.poll()).toBeUndefined()
    }
  })

  test('the longest message arrives', () => {
    const { inbox, lane } = make(0, bulkSegmentsMax)
    const message = new Uint8Array(laneMessageBytesMax).map((_, at) => at * 7)
    let number = 0
    for (let start = 0; start < message.length; start += segmentBytesMax) {
      const end = Math.min(start + segmentBytesMax, message.length)
      expect(lane.handleSegment(number++, end === message.length, message, start, end)).toBe(true)
    }
    expect(inbox.poll()?.bytes).toEqual(message)
  })

  test('memory grows with what came, and never above a message and a window', () => {
    const { lane } = make(0, bulkSegmentsMax)
    for (let number = 0; number < 4_000; number++) {
      lane.handleSegment(low16(number), false, Uint8Array.of(1), 0, 1)
    }
    expect(lane.heldBytes).toBe(4_096)
    const piece = new Uint8Array(segmentBytesMax)
    for (let ahead = bulkSegmentsMax - 1; ahead > 0; ahead--) {
      lane.handleSegment(low16(4_000 + ahead), false, piece, 0, piece.length)
    }
    expect(lane.heldBytes).toBeLessThanOrEqual(
      laneMessageBytesMax + bulkSegmentsMax * segmentBytesMax,
    )
    lane.clear()
    expect(lane.heldBytes).toBe(0)
  })

  test('any arrival of all pieces gives all messages', () => {
    const messages = fc.array(
      fc.array(fc.stringMatching(/^[a-z]{1,4}$/), { minLength: 1, maxLength: 3 }),
    )
    fc.assert(
      fc.property(
        messages,
        fc.nat(65_535),
        fc.infiniteStream(fc.nat(1_000)),
        (given, first, picks) => {
          const { inbox, lane } = make(first, 16)
          const pieces = given.flatMap((parts) =>
            parts.map((text, index) => ({ text, isLast: index === parts.length - 1 })),
          )
          const arrived = new Set<number>()
          let done = 0
          while (done < pieces.length) {
            const number = done + ((picks.next().value ?? 0) % Math.min(16, pieces.length - done))
            const piece = pieces[number]!
            expect(lane.accepts(low16(first + number))).toBe(true)
            expect(give(lane, low16(first + number), piece.text, piece.isLast)).toBe(true)
            arrived.add(number)
            while (arrived.has(done)) done++
          }
          expect(take(inbox)).toEqual(given.map((parts) => parts.join('')))
        },
      ),
    )
  })
})
