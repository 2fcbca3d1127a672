import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checksumMark, partKinds } from './packet-format.ts'
import { PacketReader } from './packet-reader.ts'
import { PacketWriter } from './packet-writer.ts'

const reader = new PacketReader()
const writer = new PacketWriter()

/** Writes what the reader read: the same bytes, if there is only one way to write them. */
function rewrite(bytes: Uint8Array): Uint8Array {
  writer.begin(reader.epoch, reader.number)
  if (reader.hasAck) writer.acknowledge(reader.ack, reader.mask, reader.heldMs)
  for (let index = 0; index < reader.partCount; index++) {
    const kind = reader.partKind[index]
    const number = reader.partNumber[index]!
    if (kind === partKinds.ping) writer.ping()
    else if (kind === partKinds.close) writer.close(number)
    else {
      const lane = kind === partKinds.control ? 'control' : 'bulk'
      const isLast = reader.partIsLast[index] === 1
      writer.segment(lane, number, isLast, bytes, reader.partStart[index]!, reader.partEnd[index]!)
    }
  }
  if (reader.tickStart < reader.tickEnd) {
    writer.tick(bytes.subarray(reader.tickStart, reader.tickEnd))
  }
  return writer.finish(undefined)
}

const u16 = fc.integer({ min: 0, max: 0xffff })
const content = fc.uint8Array({ minLength: 1, maxLength: 60 })
const part = fc.oneof(
  fc.record({ kind: fc.constant('ping' as const) }),
  fc.record({ kind: fc.constant('close' as const), code: u16 }),
  fc.record({
    kind: fc.constantFrom('control' as const, 'bulk' as const),
    number: u16,
    isLast: fc.boolean(),
    content,
  }),
)
const packet = fc
  .record({
    epoch: u16,
    number: u16,
    ack: fc.option(fc.record({ ack: u16, mask: fc.integer(), heldMs: fc.nat(255) })),
    parts: fc.array(part, { maxLength: 8 }),
    tick: fc.option(fc.uint8Array({ minLength: 1, maxLength: 300 })),
  })
  .filter(({ ack, parts, tick }) => ack !== null || parts.length > 0 || tick !== null)
type Packet = typeof packet extends fc.Arbitrary<infer T> ? T : never

function write({ epoch, number, ack, parts, tick }: Packet, mark?: number): Uint8Array {
  writer.begin(epoch, number)
  if (ack !== null) writer.acknowledge(ack.ack, ack.mask, ack.heldMs)
  for (const one of parts) {
    if (one.kind === 'ping') writer.ping()
    else if (one.kind === 'close') writer.close(one.code)
    else writer.segment(one.kind, one.number, one.isLast, one.content, 0, one.content.length)
  }
  if (tick !== null) writer.tick(tick)
  return writer.finish(mark)
}

test('what was written reads back, checksum or not, wherever in memory it lies', () => {
  fc.assert(
    fc.property(packet, fc.boolean(), fc.nat(9), (given, hasChecksum, offset) => {
      const mark = hasChecksum ? checksumMark('acceptor') : undefined
      const written = write(given, mark)
      const bytes = new Uint8Array(written.length + offset).subarray(offset)
      bytes.set(written)
      expect(reader.read(bytes, mark)).toBe(true)
      expect(reader).toMatchObject({ epoch: given.epoch, number: given.number })
      expect(reader.hasAck).toBe(given.ack !== null)
      expect(reader.partCount).toBe(given.parts.length)
      const tick = bytes.subarray(reader.tickStart, reader.tickEnd)
      expect(Array.from(tick)).toEqual(Array.from(given.tick ?? []))
      expect(rewrite(bytes)).toEqual(write(given))
    }),
  )
})

test('a packet that is accepted has no other encoding', () => {
  const nearly = fc
    .tuple(packet, fc.array(fc.tuple(fc.nat(40), fc.nat(255)), { maxLength: 3 }))
    .map(([given, changes]) => {
      const bytes = write(given)
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
      return bytes
    })
  const any = fc.oneof(fc.uint8Array({ maxLength: 60 }), nearly)
  let accepted = 0
  fc.assert(
    fc.property(any, (bytes) => {
      if (!reader.read(bytes, undefined)) return
      accepted++
      expect(Buffer.from(rewrite(bytes)).toString('hex')).toBe(Buffer.from(bytes).toString('hex'))
    }),
    { numRuns: 2_000 },
  )
  expect(accepted).toBeGreaterThan(200)
})

test('a packet without a tick accepts neither fewer nor more bytes', () => {
  fc.assert(
    fc.property(packet, fc.nat(255), (given, extra) => {
      const bytes = write({
        ...given,
        tick: null,
        ack: given.ack ?? { ack: 1, mask: 0, heldMs: 0 },
      })
      for (let end = 0; end < bytes.length; end++) {
        expect(reader.read(bytes.subarray(0, end), undefined)).toBe(false)
      }
      expect(reader.read(Uint8Array.from([...bytes, extra]), undefined)).toBe(false)
    }),
  )
})

test('with a checksum, no single flipped bit passes', () => {
  fc.assert(
    fc.property(packet, (given) => {
      const mark = checksumMark('initiator')
      const bytes = write(given, mark)
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        bytes[bit >> 3]! ^= 1 << (bit & 7)
        expect(reader.read(bytes, mark)).toBe(false)
        bytes[bit >> 3]! ^= 1 << (bit & 7)
      }
      expect(reader.read(bytes, mark)).toBe(true)
      expect(reader.read(bytes, checksumMark('acceptor'))).toBe(false)
    }),
    { numRuns: 30 },
  )
})

test.each([
  ['nothing at all', ''],
  ['a head without content', '0001020304'],
  ['a held time without an acknowledgement', '9001020304aa'],
  ['a mask without an acknowledgement', '8101020304aa'],
  ['a held time of zero', '3001020304c80000'],
  ['a byte of the mask that should be absent', '2101020304c800ff'],
  ['an acknowledgement cut short', '2001020304c8'],
  ['no parts where parts are marked', '400102030400'],
  ['an empty segment', '400102030401' + '0008' + '0000'],
  ['a segment that is longer than the packet', '400102030401' + '0200' + '0000' + 'aa'],
  ['a ping with a length', '400102030401' + '0130' + 'aa'],
  ['a goodbye with content', '400102030401' + '0120' + '0000' + 'aa'],
  ['a kind of part that does not exist', '400102030401' + '0040'],
  ['a bit above the kind', '400102030401' + '0180' + '0000' + 'aa'],
  ['fewer parts than counted', '400102030402' + '0030'],
  ['bytes behind the last part', '400102030401' + '0030' + 'aa'],
  ['a tick mark without a tick', 'a001020304c800'],
])('%s is refused', (_what, bytes) => {
  expect(reader.read(Buffer.from(bytes, 'hex'), undefined)).toBe(false)
})

test('more than a datagram is refused unread', () => {
  const bytes = new Uint8Array(1_201).fill(0xaa)
  bytes[0] = 0x80
  expect(reader.read(bytes, undefined)).toBe(false)
  expect(reader.read(bytes.subarray(0, 1_200), undefined)).toBe(true)
})
