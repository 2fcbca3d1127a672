import { describe, expect, test } from 'vitest'
import { handshakeMs, ticketSkewMs, ticketsMax } from './limits.ts'
import { clientAddress, seededBytes, UdpWorld } from './testing/udp-world.ts'
import { issueTicket, readTicket, TicketBook } from './ticket.ts'

const here = clientAddress(1)

describe('T-14 tickets', () => {
  const ticketKey = seededBytes(8, 'tickets')(32)
  const issue = (id: number, expiresAtMs: number, data = Uint8Array.of(7)): Uint8Array =>
    issueTicket(ticketKey, { id: new Uint8Array(16).fill(id), expiresAtMs, data })

  test.each(['IK', 'XX'] as const)(
    '%s: with one a player comes in, and the relay knows what it says',
    (pattern) => {
      const world = new UdpWorld(1, { ticketKey })
      const ticket = issue(1, world.nowMs + 60_000)
      if (pattern === 'IK') world.addClient({ ticket })
      else world.addStranger({ ticket })
      world.run(500)
      expect(world.accepted[0]?.ticketData).toEqual(Uint8Array.of(7))
    },
  )

  test.each(['IK', 'XX'] as const)(
    '%s: without one, or with a forged or used one, nobody answers',
    (pattern) => {
      const world = new UdpWorld(1, { ticketKey })
      const ticket = issue(1, world.nowMs + 60_000)
      const forged = Uint8Array.from(ticket)
      forged[20]! ^= 1
      const add = pattern === 'IK' ? world.addClient.bind(world) : world.addStranger.bind(world)
      add({ ticket })
      world.run(500)
      const others = [add({}), add({ ticket: forged }), add({ ticket })]
      world.run(handshakeMs)
      expect(world.accepted.length).toBe(1)
      expect(others.map(({ failure }) => failure)).toEqual(Array(3).fill({ code: undefined }))
      expect(world.server.counters.get('drop.ticket')).toBe(3)
    },
  )

  test('one is good until it expires, with a minute for clocks that are off', () => {
    const book = new TicketBook(ticketKey)
    expect(book.use(issue(1, 100_000), here, 100_000 + ticketSkewMs - 1)).toBeDefined()
    expect(book.use(issue(2, 100_000), here, 100_000 + ticketSkewMs)).toBeUndefined()
  })

  test('one is good from one address, and there again', () => {
    const book = new TicketBook(ticketKey)
    const ticket = issue(1, 100_000)
    expect(book.use(ticket, here, 0)?.data).toEqual(Uint8Array.of(7))
    expect(book.use(ticket, { ...here, port: 1 }, 0)).toBeUndefined()
    expect(book.use(ticket, here, 0)).toBeDefined()
    expect(book.size).toBe(1)
  })

  test('used ones are remembered until they expire; when the book is full, new ones are refused', () => {
    const book = new TicketBook(ticketKey)
    const id = new Uint8Array(16)
    const use = (index: number, expiresAtMs: number, nowMs: number): boolean => {
      new DataView(id.buffer).setUint32(0, index)
      return book.use(issueTicket(ticketKey, { id, expiresAtMs }), here, nowMs) !== undefined
    }
    for (let index = 0; index < ticketsMax; index++) use(index, index === 7 ? 1_000 : 900_000, 0)
    expect(book.size).toBe(ticketsMax)
    expect(use(ticketsMax, 900_000, 1_000)).toBe(false)
    expect(book.size).toBe(ticketsMax)
    expect(use(ticketsMax, 900_000, 1_000 + ticketSkewMs)).toBe(true)
    expect(book.size).toBe(ticketsMax)
  })

  test('every bit counts, and every length', () => {
    const ticket = issue(1, 100_000)
    expect(readTicket(ticketKey, ticket)).toEqual({
      id: new Uint8Array(16).fill(1),
      expiresAtMs: 100_000,
      data: Uint8Array.of(7),
    })
    for (let bit = 0; bit < ticket.length * 8; bit++) {
      const damaged = Uint8Array.from(ticket)
      damaged[bit >> 3]! ^= 1 << (bit & 7)
      expect(readTicket(ticketKey, damaged)).toBeUndefined()
    }
    for (let size = 0; size < ticket.length; size++) {
      expect(readTicket(ticketKey, ticket.subarray(0, size))).toBeUndefined()
    }
    expect(() => issueTicket(ticketKey, { id: new Uint8Array(3), expiresAtMs: 1 })).toThrow('16')
    expect(() => issueTicket(ticketKey, { id: new Uint8Array(16), expiresAtMs: 0.5 })).toThrow('ms')
    const data = new Uint8Array(209)
    expect(() => issueTicket(ticketKey, { id: new Uint8Array(16), expiresAtMs: 1, data })).toThrow(
      '208',
    )
  })
})
