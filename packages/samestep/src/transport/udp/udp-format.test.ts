import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { datagramBytesMax } from '../../wire/limits.ts'
import { clipReason } from '../closing.ts'
import { type ControlFrame, readFrame, writeFrame } from './control-frame.ts'
import { headBytesMax, helloBytes, tagBytes, udpPayloadBytesMax } from './limits.ts'
import {
  readAccept,
  readChallenge,
  readClientPayload,
  readFinish,
  readHead,
  readHello,
  readInit,
  readReset,
  readServerPayload,
  writeAccept,
  writeChallenge,
  writeClientPayload,
  writeFinish,
  writeHead,
  writeHello,
  writeInit,
  writeReset,
  writeServerPayload,
} from './udp-format.ts'

const bytesOf = (size: number) => fc.uint8Array({ minLength: size, maxLength: size })
const key = bytesOf(32)
const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const bit = fc.constantFrom(0 as const, 1 as const)
const sequence = fc.oneof(
  fc.maxSafeNat(),
  fc.integer({ min: 0, max: 70_000 }),
  fc.constantFrom(255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 48, 2 ** 53 - 1),
)
const head = fc.record({
  isControl: fc.boolean(),
  phase: bit,
  ackPhase: bit,
  sessionId: fc.option(u32, { nil: undefined }),
  sequence,
})
const reason = fc.string({ unit: 'grapheme', maxLength: 80 }).map(clipReason)
const frame: fc.Arbitrary<ControlFrame> = fc.oneof(
  fc.constant({ type: 'here' as const }),
  fc.record({ type: fc.constant('path-challenge' as const), data: bytesOf(8) }),
  fc.record({ type: fc.constant('path-response' as const), data: bytesOf(8) }),
  fc.record({
    type: fc.constant('goodbye' as const),
    end: fc.record({ code: fc.integer({ min: 4_000, max: 4_999 }), reason }),
  }),
)

describe('what is written is read back', () => {
  test('handshakes', () => {
    fc.assert(
      fc.property(
        key,
        bytesOf(21),
        u32,
        bytesOf(16),
        bytesOf(100),
        (ephemeral, cookie, id, token, rest) => {
          const hello = writeHello(ephemeral)
          expect(hello.length).toBe(helloBytes)
          expect(readHello(hello)).toEqual(ephemeral)
          const challenge = writeChallenge(ephemeral)
          challenge.set(cookie, challenge.length - cookie.length)
          expect(readChallenge(challenge, ephemeral)).toEqual(cookie)
          const message = Uint8Array.from([...ephemeral, ...rest])
          const init = { pattern: 'IK', cookie, message, ephemeral }
          expect(readInit(writeInit('IK', cookie, message))).toEqual(init)
          const short = { pattern: 'XX', cookie, message: ephemeral, ephemeral }
          expect(readInit(writeInit('XX', cookie, ephemeral))).toEqual(short)
          expect(readAccept(writeAccept(ephemeral, message), ephemeral)).toEqual(message)
          expect(readFinish(writeFinish(id, message))).toEqual({ sessionId: id, message })
          expect(readReset(writeReset(token))).toEqual(token)
          const reply = { code: id & 0xffff, sessionId: id, resetToken: token }
          expect(readServerPayload(writeServerPayload(reply))).toEqual(reply)
          const claim = { protocol: id, ticket: rest }
          expect(readClientPayload(writeClientPayload(claim))).toEqual(claim)
        },
      ),
    )
  })

  test('T-07 heads of packets, with numbers up to 2⁵³−1 to the last bit', () => {
    fc.assert(
      fc.property(head, (value) => {
        const written = writeHead(value)
        const packet = new Uint8Array(written.length + tagBytes + 1)
        packet.set(written)
        expect(readHead(packet, value.sessionId !== undefined)).toEqual(value)
      }),
      { numRuns: 1_000 },
    )
  })

  test('control frames', () => {
    fc.assert(
      fc.property(frame, (value) => {
        expect(readFrame(writeFrame(value))).toEqual(value)
      }),
    )
  })
})

describe('one value has one encoding', () => {
  test('whatever is read is written the same', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.boolean(), (bytes, hasSession) => {
        bytes[0] = (bytes[0] ?? 0) | 0x80
        const value = readHead(bytes, hasSession)
        if (value === undefined) return
        const written = writeHead(value)
        expect(written).toEqual(bytes.slice(0, written.length))
        expect(value.sequence).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER)
      }),
      { numRuns: 2_000 },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 140 }), (bytes) => {
        bytes[0] = (bytes[0] ?? 0) & 3
        const value = readFrame(bytes)
        if (value !== undefined) expect(writeFrame(value)).toEqual(bytes)
      }),
      { numRuns: 2_000 },
    )
  })

  test('T-07 a sequence of 2⁵³ or more, which would be rounded, is no packet', () => {
    for (const highest of [0x20, 0x80, 0xff]) {
      const packet = new Uint8Array(40)
      packet.set([0x86, 0, 0, 0, 0, 0, 0, highest])
      expect(readHead(packet, false)).toBeUndefined()
    }
    const eightBytes = new Uint8Array(40)
    eightBytes.set([0x87, 1, 1, 1, 1, 1, 1, 1, 1])
    expect(readHead(eightBytes, false)).toBeUndefined()
  })

  test('a sequence with more bytes than it needs is no packet', () => {
    const packet = new Uint8Array(40).fill(1)
    for (let extra = 1; extra < 7; extra++) {
      packet[0] = 0x80 | extra
      packet[1 + extra] = 1
      expect(readHead(packet, false)).toBeDefined()
      packet[1 + extra] = 0
      expect(readHead(packet, false)).toBeUndefined()
    }
  })

  test('padding of a hello is zero, and a hello has exactly its size (T-02)', () => {
    const hello = writeHello(new Uint8Array(32).fill(7))
    for (const at of [34, 100, helloBytes - 1]) {
      const damaged = Uint8Array.from(hello)
      damaged[at] = 1
      expect(readHello(damaged)).toBeUndefined()
    }
    expect(readHello(Uint8Array.from([...hello, 0]))).toBeUndefined()
  })
})

describe('decoders are total', () => {
  const decoders: { readonly [name: string]: (bytes: Uint8Array) => unknown } = {
    hello: readHello,
    challenge: (bytes) => readChallenge(bytes, new Uint8Array(32)),
    init: readInit,
    accept: (bytes) => readAccept(bytes, new Uint8Array(32)),
    finish: readFinish,
    reset: readReset,
    client: readClientPayload,
    server: readServerPayload,
    'head to server': (bytes) => readHead(bytes, true),
    'head to client': (bytes) => readHead(bytes, false),
    frame: readFrame,
  }

  test.each(Object.keys(decoders))('T-00 %s: any bytes give a value or nothing', (name) => {
    const sizes = fc.oneof(fc.uint8Array({ maxLength: 64 }), fc.uint8Array({ maxLength: 1_300 }))
    fc.assert(
      fc.property(sizes, (bytes) => {
        decoders[name]!(bytes)
      }),
      { numRuns: 500 },
    )
  })

  test('every proper prefix of what has one length is refused', () => {
    const ephemeral = new Uint8Array(32)
    const whole: readonly (readonly [string, Uint8Array])[] = [
      ['hello', writeHello(ephemeral)],
      ['challenge', writeChallenge(ephemeral)],
      ['init', writeInit('XX', new Uint8Array(21), ephemeral)],
      ['reset', writeReset(new Uint8Array(16))],
      ['server', writeServerPayload({ code: 0, sessionId: 1, resetToken: new Uint8Array(16) })],
      ['frame', writeFrame({ type: 'path-challenge', data: new Uint8Array(8) })],
      ['frame', writeFrame({ type: 'here' })],
    ]
    for (const [name, bytes] of whole) {
      expect(decoders[name]!(bytes), name).toBeDefined()
      for (let size = 0; size < bytes.length; size++) {
        expect(decoders[name]!(bytes.subarray(0, size)), `${name} ${size}`).toBeUndefined()
      }
      expect(decoders[name]!(Uint8Array.from([...bytes, 0])), `${name} longer`).toBeUndefined()
    }
  })
})

test('the largest packet of the link machine and its encryption fit one datagram everywhere', () => {
  expect(datagramBytesMax + headBytesMax + tagBytes).toBeLessThanOrEqual(udpPayloadBytesMax)
  // IPv6 carries 1 280 bytes everywhere, of which 40 and 8 are the heads of IPv6 and of UDP.
  expect(udpPayloadBytesMax).toBe(1_280 - 40 - 8)
})
