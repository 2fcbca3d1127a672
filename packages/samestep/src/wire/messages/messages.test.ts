import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvariantError } from '../../base/assert.ts'
import { orderBytesMax, seatsMax } from '../../sim/limits.ts'
import {
  botOrdersMax,
  chatBytesMax,
  optionsBytesMax,
  playerNameBytesMax,
  spectatorsMax,
  witnessesMax,
} from '../limits.ts'
import { messageBodies } from '../testing/message-bodies.ts'
import { refusalOf } from '../testing/properties.ts'
import { makeMatchConfig } from './match-config.ts'
import {
  decodeMessage,
  encodeMessage,
  type MessageName,
  messageBytesMax,
  messageTypes,
  protocols,
} from './messages.ts'
import { writeAction } from './room-actions.ts'

const names = Object.keys(messageTypes) as MessageName[]

describe.each(names)('%s', (name) => {
  test('comes back as it went', () => {
    fc.assert(
      fc.property(messageBodies[name] as fc.Arbitrary<never>, (body) => {
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
  expect(Object.fromEntries(names.map((name) => [name, messageTypes[name].number]))).toEqual({
    ClientHello: 1,
    RelayRefuse: 2,
    RelayWelcome: 3,
    ClientJoin: 4,
    RelaySeated: 5,
    ClientLeave: 6,
    RelayClose: 7,
    ClientAct: 9,
    RelayRoom: 10,
    RelayLaunch: 11,
    RelaySaid: 12,
    RelayVote: 13,
    RelayDenied: 14,
    RelayBots: 19,
    RelayDesync: 20,
    RelayChallenge: 21,
    ClientProof: 22,
    RelayDoors: 23,
    RelayAskState: 32,
    ClientState: 33,
    RelayFetch: 34,
    ClientManifest: 35,
    ClientChunk: 36,
    RelayManifest: 37,
    ClientFetch: 38,
    RelayChunk: 39,
    ClientLoaded: 40,
    RelaySeat: 42,
    RelayProbe: 48,
    ClientProbe: 49,
    RelayFinding: 50,
    RelayResync: 51,
    RelayRecover: 52,
    ClientRecover: 53,
    ClientHistory: 54,
    RelayTag: 55,
    RelayDebug: 56,
    ClientBotOrders: 16,
    ClientBotInput: 41,
    RelayStats: 17,
    ClientHere: 18,
  })
  expect(new Set(names.map((name) => messageTypes[name].number)).size).toBe(names.length)
})

test('a retired number stays unknown: what it stood for is never read as something else', () => {
  // Three of four seats are taken, as an older relay said it.
  expect(refusalOf(() => decodeMessage(Uint8Array.of(8, 0x83, 0x01)))).toBe('SS_WIRE_UNKNOWN')
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

describe('the largest of its kind fits its limit to the byte:', () => {
  const name = 'n'.repeat(playerNameBytesMax)
  const options = new Uint8Array(optionsBytesMax).fill(255)

  test('a room with all seats and all spectators', () => {
    const member = {
      id: 0xffff_ffff,
      name,
      role: 'player',
      seat: 63,
      team: 63,
      isReady: true,
      isOwner: true,
      loadProgress: 100,
      presence: 'gone',
      isAfk: true,
      claim: 63,
    } as const
    const bytes = encodeMessage('RelayRoom', {
      ...messageTypes.RelayRoom.fields.makeDefault(),
      options,
      lockedSeats: Array.from({ length: seatsMax }, (_, seat) => seat),
      waitingFor: Array.from({ length: seatsMax }, (_, seat) => seat),
      members: Array.from({ length: seatsMax + spectatorsMax + witnessesMax }, () => member),
    })
    expect(bytes.byteLength).toBe(messageBytesMax('RelayRoom'))
  })

  test('a line of chat', () => {
    const body = { member: 0, scope: 'all', text: 'x'.repeat(chatBytesMax) } as const
    expect(encodeMessage('RelaySaid', body).byteLength).toBe(messageBytesMax('RelaySaid'))
  })

  test('orders of a bot', () => {
    const orders = Array.from({ length: botOrdersMax }, () => new Uint8Array(orderBytesMax))
    const bytes = encodeMessage('ClientBotOrders', { seat: 0, turn: 0, firstNumber: 0, orders })
    expect(bytes.byteLength).toBe(messageBytesMax('ClientBotOrders'))
  })

  test('figures of all seats', () => {
    const figures = {
      rttMs: 65_535,
      jitterMs: 65_535,
      lossPercent: 100,
      marginMs: -32_768,
      loadPercent: 4_032,
      behindTicks: 65_535,
      orderWaitMs: 65_535,
      orderWaitP95Ms: 65_535,
      ticksPerPacket: 4,
    }
    const bytes = encodeMessage('RelayStats', {
      inputDelay: 63,
      requestedPercent: 1_000,
      effectivePercent: 1_000,
      comparedTick: 0xffff_ffff,
      mismatches: 65_535,
      seats: Array.from({ length: seatsMax }, (_, seat) => ({ seat, ...figures })),
    })
    expect(bytes.byteLength).toBe(messageBytesMax('RelayStats'))
  })
})

test('what most players send and get is small', () => {
  const config = makeMatchConfig({ seats: 2, tickRate: 30 })
  const join = {
    match: '',
    name: '',
    role: 'player',
    config,
    ticket: undefined,
    secret: undefined,
    nextTick: 1,
    token: undefined,
    software: undefined,
  } as const
  expect(encodeMessage('ClientJoin', join).byteLength).toBeLessThanOrEqual(64)
  expect(encodeMessage('ClientHere', { activity: 'active' })).toHaveLength(2)
  expect(encodeMessage('ClientAct', writeAction({ type: 'pause' }))).toHaveLength(8)
})
