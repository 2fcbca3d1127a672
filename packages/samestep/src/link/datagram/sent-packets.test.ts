import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { reorderPacketsMax, sentPacketsMax, staleMs } from '../limits.ts'
import { ReceiveWindow } from './receive-window.ts'
import { SentPackets } from './sent-packets.ts'
import { low16 } from './sequence.ts'

function counts(sent: SentPackets): { acked: number; lost: number; inFlight: number } {
  return { acked: sent.ackedCount, lost: sent.lostCount, inFlight: sent.inFlightCount }
}

/** Sends `count` packets at time 0 and gives their numbers. */
function send(sent: SentPackets, count: number): number[] {
  return Array.from({ length: count }, () => sent.add(true, 0))
}

describe('SentPackets', () => {
  test('a packet is lost when one three newer is acknowledged and it is not', () => {
    const sent = new SentPackets(65_534)
    const numbers = send(sent, 6)
    sent.handleAck(low16(numbers[2]!), 0)
    expect(counts(sent)).toEqual({ acked: 1, lost: 0, inFlight: 5 })
    sent.handleAck(low16(numbers[3]!), 0b1)
    expect(counts(sent)).toEqual({ acked: 2, lost: 1, inFlight: 3 })
    expect(sent.lostNumbers).toEqual([numbers[0]])
    expect(sent.ackedNumbers).toEqual([numbers[2], numbers[3]])
  })

  test('a late packet stays counted as lost, is reported as arrived, and teaches patience', () => {
    const sent = new SentPackets(0)
    const numbers = send(sent, 20)
    sent.handleAck(low16(numbers[5]!), 0b01111)
    expect(sent.lostNumbers).toEqual([numbers[0]])
    sent.handleAck(low16(numbers[6]!), 0b111111)
    expect(sent.ackedNumbers).toContain(numbers[0])
    expect(counts(sent)).toEqual({ acked: 6, lost: 1, inFlight: 13 })
    // It came six packets late, so the next one to be missed gets seven.
    sent.handleAck(low16(numbers[13]!), 0b11111)
    expect(sent.lostNumbers).toEqual([numbers[0]])
    sent.handleAck(low16(numbers[14]!), 0b111111)
    expect(sent.lostNumbers).toEqual([numbers[0], numbers[7]])
  })

  test.each([1, 2, 31, 32, 33, 34, 40, 64, 65])(
    'an acknowledgement %i packets after the last one counts all that it names',
    (ahead) => {
      const sent = new SentPackets(65_500)
      const numbers = send(sent, 200)
      sent.handleAck(low16(numbers[99]!), -1)
      expect(sent.ackedCount).toBe(33)
      sent.handleAck(low16(numbers[99 + ahead]!), -1)
      const named = numbers.slice(99 + ahead - 32, 100 + ahead)
      expect(sent.ackedNumbers).toEqual(expect.arrayContaining(named))
      expect(sent.ackedCount).toBe(33 + Math.min(ahead, 33))
    },
  )

  test.each([1, 5, 31, 32, 33])('older news, %i packets behind, count too', (behind) => {
    const sent = new SentPackets(65_500)
    const numbers = send(sent, 120)
    sent.handleAck(low16(numbers[2]!), 0)
    // Nothing before the newest is known, and nothing of it is given up within the gap.
    sent.handleAck(low16(numbers[99]!), 0)
    sent.handleAck(low16(numbers[99 - behind]!), -1)
    const first = 99 - 32
    const named = numbers.slice(first, 100 - behind)
    expect(sent.ackedNumbers.slice().sort((a, b) => a - b)).toEqual([
      numbers[2],
      ...named,
      numbers[99],
    ])
  })

  test('the first word about a packet tells when it was sent, a second one does not', () => {
    const sent = new SentPackets(0)
    const number = sent.add(false, 40)
    sent.add(false, 50)
    expect(sent.handleAck(low16(number), 0)).toBe(40)
    expect(sent.handleAck(low16(number), 0)).toBeUndefined()
    expect(sent.handleAck(low16(number + 1), 1)).toBe(50)
    expect(sent.handleAck(low16(number), 0)).toBeUndefined()
  })

  test('an acknowledgement of packets that were never sent is impossible', () => {
    const sent = new SentPackets(100)
    expect(sent.isPossible(100, 0)).toBe(false)
    send(sent, 3)
    expect(sent.isPossible(100, 0)).toBe(true)
    expect(sent.isPossible(102, 0b11)).toBe(true)
    expect(sent.isPossible(102, 0b111)).toBe(false)
    expect(sent.isPossible(103, 0)).toBe(false)
    expect(sent.isPossible(99, 0)).toBe(false)
    expect(sent.isPossible(40_000, 0)).toBe(false)
    send(sent, 200)
    expect(sent.isPossible(102 + 200, -1)).toBe(true)
    expect(sent.isPossible(103 + 200, -1)).toBe(false)
  })

  test('a packet without a verdict is lost when the ring is full or its time is over', () => {
    const full = new SentPackets(0)
    const numbers = send(full, sentPacketsMax + 2)
    expect(full.lostNumbers).toEqual(numbers.slice(0, 2))
    expect(full.inFlightCount).toBe(sentPacketsMax)
    const old = new SentPackets(0)
    const first = old.add(true, 0)
    old.add(true, staleMs - 1)
    expect(old.lostCount).toBe(0)
    old.add(true, staleMs)
    expect(old.lostNumbers).toEqual([first])
  })

  test('only packets with something reliable are named', () => {
    const sent = new SentPackets(0)
    const numbers = [false, true, false, false, true, false].map((isReliable) =>
      sent.add(isReliable, 0),
    )
    sent.handleAck(low16(numbers[5]!), 0b1)
    expect(sent.ackedNumbers).toEqual([numbers[4]])
    expect(sent.lostNumbers).toEqual([numbers[1]])
    expect(counts(sent)).toEqual({ acked: 2, lost: 3, inFlight: 1 })
  })

  test('giving up is a verdict, and happens once', () => {
    const sent = new SentPackets(0)
    const [number] = send(sent, 2)
    sent.giveUp(number!)
    sent.giveUp(number!)
    expect(counts(sent)).toEqual({ acked: 0, lost: 1, inFlight: 1 })
  })

  test('sent = acked + lost + in flight, and none is acked that did not arrive, on any path', () => {
    const event = fc.oneof(
      { weight: 5, arbitrary: fc.constant('send' as const) },
      { weight: 3, arbitrary: fc.nat(40) },
      { weight: 3, arbitrary: fc.constant('ack' as const) },
    )
    fc.assert(
      fc.property(fc.nat(65_535), fc.array(event, { maxLength: 800 }), (first, events) => {
        const sent = new SentPackets(first)
        const window = new ReceiveWindow()
        const onTheWay: number[] = []
        const arrived = new Set<number>()
        let total = 0
        for (const what of events) {
          if (what === 'send') {
            onTheWay.push(sent.add(true, total++))
          } else if (what === 'ack') {
            if (!window.hasAny) continue
            expect(sent.isPossible(low16(window.newest), window.mask)).toBe(true)
            sent.handleAck(low16(window.newest), window.mask)
          } else {
            const [number] = onTheWay.splice(what % Math.max(onTheWay.length, 1), 1)
            if (number === undefined || !window.isNew(window.expand(low16(number)))) continue
            window.add(window.expand(low16(number)), total)
            arrived.add(number)
          }
          expect(sent.ackedCount + sent.lostCount + sent.inFlightCount).toBe(total)
        }
        for (const number of sent.ackedNumbers) expect(arrived.has(number)).toBe(true)
        expect(new Set(sent.ackedNumbers).size).toBe(sent.ackedNumbers.length)
        expect(new Set(sent.lostNumbers).size).toBe(sent.lostNumbers.length)
      }),
      { numRuns: 150 },
    )
  })

  test('patience ends before the mask does', () => {
    const sent = new SentPackets(0)
    const numbers = send(sent, 64)
    sent.handleAck(low16(numbers[31]!), 0x7fff_ffff & ~(1 << 30))
    sent.handleAck(low16(numbers[32]!), -1)
    const { lostCount } = sent
    sent.handleAck(low16(numbers[33 + reorderPacketsMax]!), 0)
    expect(sent.lostCount).toBe(lostCount + 1)
  })
})
