import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromHex } from '../sim/hash/hex.ts'
import { type RenderContext, renderMessage } from './render.ts'
import { wireDecoders } from './testing/decoders.ts'
import { hostileBytes, refusalOf } from './testing/properties.ts'
import { slotOf } from './testing/slot-of.ts'
import { readVectors } from './testing/vector-file.ts'

const vectors = readVectors()

/** The bytes of the golden vector with this title. */
function bytesOf(group: keyof typeof vectors, title: string): Uint8Array {
  const found = vectors[group].find((vector) => vector.title === title)
  return fromHex(found?.hex ?? expect.unreachable(title))
}

test.each(vectors.messages)('shows $message ($title) with its fields', ({ message, body, hex }) => {
  expect(renderMessage(fromHex(hex))).toEqual({ type: message, bytes: hex.length / 2, body })
})

describe('RelayBundles', () => {
  const layout = [
    slotOf(3, 3),
    slotOf(16, 32_768),
    slotOf(1),
    slotOf(1, 0, true),
    slotOf(4, 0, true),
  ]
  const bundle = bytesOf('bundles', 'two of three seats change their inputs')
  const message = Uint8Array.of(0x80, 44, ...bundle)
  const full: RenderContext = {
    nearTick: 300,
    seatCount: 3,
    layout,
    slotNames: ['move', 'aim', 'fire', 'jump', 'weapon'],
    slots: Uint32Array.of(3, 32_768, 0, 0, 0, 3, 32_768, 0, 0, 0, 3, 32_768, 1, 0, 0),
  }

  test('without any context shows what travels', () => {
    expect(renderMessage(Uint8Array.of(0x80, 44, 0))).toEqual({
      type: 'RelayBundles',
      bytes: 3,
      tickLow: 44,
      bundles: [{ bytes: '00' }],
    })
  })

  test('of a known match without its inputs shows by how much they changed', () => {
    expect(renderMessage(message, { seatCount: 3, layout })).toEqual({
      type: 'RelayBundles',
      bytes: message.length,
      tickLow: 44,
      bundles: [{ inputs: { 0: { 1: { by: 12 } }, 2: { 2: { by: -1 }, 3: { to: 1 } } } }],
    })
  })

  test('of a known match with its inputs shows what they are now', () => {
    expect(renderMessage(message, full)).toEqual({
      type: 'RelayBundles',
      bytes: message.length,
      tick: 300,
      bundles: [
        { inputs: { 0: { aim: { to: 32_780 } }, 2: { fire: { to: 0 }, jump: { to: 1 } } } },
      ],
    })
  })

  test('shows orders, events and missing inputs', () => {
    const bytes = Uint8Array.of(0x80, 1, ...bytesOf('bundles', 'everything at once'))
    const buttons = Array.from({ length: 4 }, () => slotOf(1))
    const slots = Uint32Array.of(0, 0, 0, 0, 1, 1, 1, 1)
    expect(
      renderMessage(bytes, { nearTick: 1, seatCount: 2, layout: buttons, slots }),
    ).toMatchObject({
      bundles: [
        {
          inputs: { 0: { 0: { to: 1 } } },
          missing: [1],
          orders: [{ seat: 0, number: 17, bytes: '2a' }],
          events: [{ type: 'join', seat: 1 }],
        },
      ],
    })
  })

  test('an event by nobody has no seat', () => {
    const bytes = Uint8Array.of(0x80, 1, ...bytesOf('bundles', 'every event'))
    const { bundles } = renderMessage(bytes, { seatCount: 8, layout: [] }) as {
      bundles: { events: { type: string; seat?: number | null }[] }[]
    }
    expect(bundles[0]?.events[4]).toEqual({ type: 'pause', seat: null })
    expect(bundles[0]?.events[6]).toEqual({ type: 'speed', percent: 60 })
  })

  test('shows the control block and its refusals', () => {
    const bytes = bytesOf('relayBundles', 'a control block with refusals')
    expect(renderMessage(bytes, { nearTick: 5 })).toMatchObject({
      tick: 5,
      control: {
        version: 9,
        orderNumber: 513,
        token: 0x1234_5678,
        marginMinMs: -3,
        marginMedianMs: 21,
        refusals: [
          { number: 512, reason: 'queue-full' },
          { number: 511, reason: 'rate' },
        ],
      },
    })
  })

  test('shows which part of a bundle it carries', () => {
    const bytes = bytesOf('relayBundles', 'the end of a bundle in parts')
    expect(renderMessage(bytes)).toMatchObject({
      tick: 9,
      part: { totalBytes: 1_070, start: 1_064, bytes: '5a5a5a5a5a5a' },
    })
  })

  test('a bundle that cannot be read has an error, and those behind it only bytes', () => {
    const bytes = Uint8Array.of(0x82, 1, 1, 1, 0x00, 0xff, 0x00)
    expect(renderMessage(bytes, { seatCount: 2, layout })).toMatchObject({
      type: 'RelayBundles',
      bundles: [{}, { bytes: 'ff', code: 'SS_WIRE_OUT_OF_RANGE' }, { bytes: '00' }],
    })
  })
})

describe('ClientTurn', () => {
  const everything = vectors.clientTurns.find(({ title }) => title === 'everything')!
  const report = { stamp: 1, rttMs: 65_535, activity: 'hidden', loadPercent: 3, token: 1 }

  test('of a known match shows everything', () => {
    const context = { nearTick: 1_000, layout: everything.layout }
    expect(renderMessage(fromHex(everything.hex), context)).toEqual({
      type: 'ClientTurn',
      bytes: everything.hex.length / 2,
      received: 1_001,
      controlSeen: 255,
      report,
      hash: { executedTick: 1_001, tick: 1_001, hash: '0000000200000001' },
      inputTick: 1_004,
      heldMs: 255,
      inputs: [[0, 1, 0, 0]],
      orderNumber: 3,
      orders: ['ff'],
    })
  })

  test('of an unknown match shows its head, and that there is more', () => {
    expect(renderMessage(fromHex(everything.hex))).toEqual({
      type: 'ClientTurn',
      bytes: everything.hex.length / 2,
      receivedLow: 1_001 % 256,
      controlSeen: 255,
      report,
      hash: { behind: 0, before: 0, hash: '0000000200000001' },
      hasMore: true,
    })
  })

  test('shows a report without a token without one', () => {
    const { report: shown } = renderMessage(bytesOf('clientTurns', 'a report without a token'))
    expect(shown).toEqual({ stamp: 500, rttMs: 48, activity: 'loading', loadPercent: 4_032 })
  })

  test('without inputs needs no layout for its orders', () => {
    expect(renderMessage(bytesOf('clientTurns', 'two orders'))).toMatchObject({
      orderNumberLow: 65_540 % 65_536,
      orders: ['a1b2c3', ''],
    })
  })
})

test('bytes that are no message give an error with its code and place', () => {
  expect(renderMessage(Uint8Array.of(0x3f))).toEqual({
    error: 'Cannot accept a message of kind 63',
    code: 'SS_WIRE_UNKNOWN',
    offset: 0,
  })
  expect(renderMessage(new Uint8Array(0))).toMatchObject({ code: 'SS_WIRE_TRUNCATED' })
})

test('whatever the bytes and whatever is known, the answer is JSON', () => {
  const seeds = wireDecoders(vectors).flatMap((target) => target.seeds)
  const contexts: readonly RenderContext[] = [
    {},
    { nearTick: 300 },
    { nearTick: 1, seatCount: 8, layout: [slotOf(5, 1, true)] },
    { seatCount: 2, layout: [] },
    { seatCount: 1, layout: [], slots: new Uint32Array(9) },
  ]
  fc.assert(
    fc.property(hostileBytes(seeds), fc.constantFrom(...contexts), (bytes, context) => {
      const shown = renderMessage(bytes, context)
      expect(JSON.parse(JSON.stringify(shown))).toEqual(shown)
    }),
    { numRuns: 1_500 },
  )
})

test('without context an error is shown only where the decoder gives one', () => {
  for (const target of wireDecoders(vectors)) {
    if (target.name.startsWith('bundle')) continue
    for (const seed of target.seeds) {
      expect(refusalOf(() => target.recode(seed))).toBeUndefined()
      expect(renderMessage(seed)).not.toHaveProperty('error')
    }
  }
})
