import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvariantError } from '../base/assert.ts'
import { encodeUtf8 } from '../base/utf8.ts'
import { closeReasons } from './codes.ts'
import {
  decodeMessage,
  encodeMessage,
  type MatchConfig,
  type MessageBody,
  type MessageName,
  messageBytesMax,
  messageTypes,
  protocols,
} from './messages.ts'
import { valueOfBits } from './testing/layouts.ts'
import { refusalOf } from './testing/properties.ts'

const texts = (max: number): fc.Arbitrary<string> =>
  fc
    .oneof(fc.string({ unit: 'binary', maxLength: max }), fc.string({ maxLength: max }))
    .filter((it) => encodeUtf8(it).length <= max)
const bytesUpTo = (maxLength: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ maxLength })
const u32 = valueOfBits(32)
const whole = (min: number, max: number): fc.Arbitrary<number> =>
  fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max))

function record<T>(values: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(values, { noNullPrototype: true })
}

const config: fc.Arbitrary<MatchConfig> = record<MatchConfig>({
  seats: whole(1, 64),
  tickRate: whole(1, 240),
  inputDelay: whole(0, 63),
  missing: record<MatchConfig['missing']>({
    kind: fc.constantFrom('idle', 'repeat', 'wait'),
    waitMs: whole(0, 10_000),
  }),
  inputSlots: fc.array(
    record<MatchConfig['inputSlots'][number]>({
      bits: whole(1, 32),
      initial: u32,
      isOneShot: fc.boolean(),
    }),
    { maxLength: 32 },
  ),
  options: bytesUpTo(100),
})

const bodies: { readonly [N in MessageName]: fc.Arbitrary<MessageBody<N>> } = {
  ClientHello: record<MessageBody<'ClientHello'>>({
    magic: u32,
    protocols: fc.array(texts(32), { maxLength: 8 }),
    gameId: texts(63),
    gameVersion: u32,
    fingerprint: bytesUpTo(32),
  }),
  RelayRefuse: record<MessageBody<'RelayRefuse'>>({
    reason: texts(32),
    item: texts(32),
    theirs: texts(80),
    ours: texts(80),
    message: texts(200),
  }),
  RelayWelcome: record<MessageBody<'RelayWelcome'>>({ protocol: texts(32) }),
  ClientJoin: record<MessageBody<'ClientJoin'>>({
    match: texts(64),
    name: texts(128),
    role: fc.constantFrom('player', 'spectator'),
    config,
    ticket: fc.option(bytesUpTo(16), { nil: undefined }),
    nextTick: u32,
  }),
  RelaySeated: record<MessageBody<'RelaySeated'>>({
    matchId: texts(64),
    ticket: bytesUpTo(16),
    seat: fc.option(whole(0, 63), { nil: undefined }),
    seed: texts(32),
    config,
    orderNumber: u32,
    sealedTick: u32,
  }),
  ClientLeave: record<MessageBody<'ClientLeave'>>({ reason: texts(64) }),
  RelayClose: record<MessageBody<'RelayClose'>>({
    reason: fc.constantFrom(...closeReasons),
    message: texts(200),
  }),
  RelayGathering: record<MessageBody<'RelayGathering'>>({
    takenSeats: whole(0, 64),
    seats: whole(1, 64),
  }),
}

const names = Object.keys(messageTypes) as MessageName[]

describe.each(names)('%s', (name) => {
  test('comes back as it went', () => {
    fc.assert(
      fc.property(bodies[name] as fc.Arbitrary<never>, (body) => {
        const bytes = encodeMessage(name, body)
        expect(bytes[0]).toBe(messageTypes[name].number)
        expect(bytes.byteLength).toBeLessThanOrEqual(messageBytesMax(name))
        expect(decodeMessage(bytes)).toEqual({ name, body })
      }),
      { numRuns: 60 },
    )
  })

  test('is refused when it is longer than the longest, before it is read', () => {
    const bytes = new Uint8Array(messageBytesMax(name) + 1)
    bytes[0] = messageTypes[name].number
    expect(refusalOf(() => decodeMessage(bytes))).toBe('SS_WIRE_TOO_LARGE')
  })
})

test('numbers never change and are never given twice', () => {
  expect(Object.fromEntries(names.map((name) => [name, messageTypes[name].number]))).toMatchObject({
    ClientHello: 1,
    RelayRefuse: 2,
    RelayWelcome: 3,
    ClientJoin: 4,
    RelaySeated: 5,
    ClientLeave: 6,
    RelayClose: 7,
    RelayGathering: 8,
  })
  expect(new Set(names.map((name) => messageTypes[name].number)).size).toBe(names.length)
})

test('numbers stay clear of the messages of running ticks', () => {
  for (const name of names) {
    const { number } = messageTypes[name]
    expect(number).toBeGreaterThan(0)
    // From 0x3e on, first bytes belong to the link.
    expect(number).toBeLessThan(0x3e)
  }
})

test('names say who sends a message', () => {
  for (const name of names) expect(name).toMatch(/^(?:Client|Relay)[A-Z]/)
})

test('the protocols that we speak fit the hello that names them', () => {
  const { fields } = messageTypes.ClientHello
  const hello = { ...fields.makeDefault(), protocols: [...protocols] }
  expect(fields.accepts(hello)).toBe(true)
  expect(protocols[0]).toBe('samestep/1')
})

test('an own message that does not fit its fields is a bug', () => {
  expect(() => encodeMessage('ClientLeave', { reason: 'x'.repeat(65) })).toThrow(InvariantError)
})

test('a message without bytes is refused', () => {
  expect(refusalOf(() => decodeMessage(new Uint8Array(0)))).toBe('SS_WIRE_TRUNCATED')
})

test('what was decoded owns its memory: the packet may be reused', () => {
  const { fields } = messageTypes.RelaySeated
  const body = { ...fields.makeDefault(), ticket: new Uint8Array(16).fill(7) }
  const bytes = encodeMessage('RelaySeated', body)
  const message = decodeMessage(bytes)
  bytes.fill(0)
  expect(message).toEqual({ name: 'RelaySeated', body })
})
