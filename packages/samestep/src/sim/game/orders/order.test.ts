import { describe, expect, test } from 'vitest'
import { UsageError, WireError } from '../../../base/errors.ts'
import { text, u8, u32 } from '../../schema/index.ts'
import type { OrderRules } from './order.ts'
import { OrderCodec, order } from './order.ts'

function faultOf(act: () => unknown): UsageError {
  try {
    act()
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

const ruled = (rules: OrderRules) => new OrderCodec({ go: order({}, rules) }).types[0]!

describe('the rules of an order', () => {
  test('are the usual ones, unless it says otherwise', () => {
    expect(new OrderCodec({ go: {} }).types[0]).toMatchObject({
      name: 'go',
      index: 0,
      by: 'player',
      bytesMax: 0,
      whenPaused: false,
      maxPerTick: 32,
      perSecond: 0,
      burst: 0,
      class: '',
    })
  })

  test('let twice as many come at once as in a second', () => {
    expect(ruled({ perSecond: 3 })).toMatchObject({ perSecond: 3, burst: 6 })
    expect(ruled({ perSecond: 500 })).toMatchObject({ perSecond: 500, burst: 1_000 })
    expect(ruled({ perSecond: 3, burst: 1 })).toMatchObject({ perSecond: 3, burst: 1 })
  })

  test.each([
    { perSecond: -1 },
    { perSecond: 0.5 },
    { perSecond: 1_001, burst: 5 },
    { perSecond: Number.NaN },
    { perSecond: Number.POSITIVE_INFINITY, burst: 5 },
    // Twice as many would be more than can be said.
    { perSecond: 501 },
    { perSecond: 3, burst: 0 },
    { perSecond: 3, burst: 1_001 },
    { perSecond: 3, burst: 1.5 },
    { burst: -1 },
  ])('cannot be %j', (rules) => {
    const fault = faultOf(() => ruled(rules))
    expect(fault.code).toBe('SS_BAD_DEFINITION')
    expect(fault.message).toMatch(/^Cannot allow .* orders 'go' per second and .* at once/)
  })

  test('allow as many in one tick as a bundle holds, and no more', () => {
    expect([ruled({ maxPerTick: 1 }).maxPerTick, ruled({ maxPerTick: 127 }).maxPerTick]).toEqual([
      1, 127,
    ])
    for (const maxPerTick of [0, 128, 1.5, -1, Number.NaN]) {
      const fault = faultOf(() => ruled({ maxPerTick }))
      expect(fault.code).toBe('SS_BAD_DEFINITION')
      expect(fault.message).toMatch(/a whole number from 1 to 127/)
    }
  })
})

describe('a game', () => {
  const kinds = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`o${index}`, { a: u8 }]))

  test('has up to 256 kinds of orders, each told apart', () => {
    const codec = new OrderCodec(kinds(256))
    for (const index of [0, 1, 127, 128, 255]) {
      const bytes = codec.encode(`o${index}`, { a: 7 })
      expect(bytes).toHaveLength(2)
      expect(codec.decode(bytes)).toMatchObject({ type: { name: `o${index}` }, data: { a: 7 } })
    }
  })

  test('of 257 kinds is refused', () => {
    const fault = faultOf(() => new OrderCodec(kinds(257)))
    expect(fault.code).toBe('SS_BAD_DEFINITION')
    expect(fault.message).toBe('Cannot declare 257 orders: a game has at most 256')
  })

  test('of one kind spends no bit on which it is; one without orders takes none', () => {
    expect(new OrderCodec({ go: { a: u8 } }).encode('go', { a: 9 })).toEqual(Uint8Array.of(9))
    const none = new OrderCodec({})
    expect(faultOf(() => none.encode('go', {})).message).toMatch(/the orders are none/)
    expect(() => none.decode(new Uint8Array(0))).toThrowError(WireError)
  })
})

describe('bytes', () => {
  const codec = new OrderCodec({ move: { x: u32 }, name: { text: text(20) }, stop: {} })

  test.each([
    ['of a kind that is not declared', Uint8Array.of(3), 'SS_WIRE_UNKNOWN'],
    ['that break off', Uint8Array.of(0, 1), 'SS_WIRE_TRUNCATED'],
    ['with more behind them', Uint8Array.of(2, 0), 'SS_WIRE_'],
    ['whose last bits say something', Uint8Array.of(2 | 4), 'SS_WIRE_'],
    ['beyond the limit', new Uint8Array(1_025), 'SS_WIRE_TOO_LARGE'],
  ])('%s are no order', (_, bytes, code) => {
    let found = ''
    try {
      codec.decode(bytes)
    } catch (error) {
      if (error instanceof WireError) found = error.code
    }
    expect(found).toContain(code)
  })

  test('are refused with the names that there are, or with the field that does not fit', () => {
    expect(faultOf(() => codec.encode('fly', {}))).toMatchObject({ code: 'SS_BAD_ORDER' })
    expect(faultOf(() => codec.encode('move', { x: -1 }))).toMatchObject({ code: 'SS_BAD_VALUE' })
    expect(faultOf(() => codec.encode('stop', { x: 1 }))).toMatchObject({ code: 'SS_BAD_VALUE' })
  })
})

test('limits that only a relay enforces do not make another game of it', () => {
  const describeWith = (rules: OrderRules) => new OrderCodec({ go: order({}, rules) }).describe()
  expect(describeWith({ perSecond: 3 })).toEqual(describeWith({}))
  expect(describeWith({ maxPerTick: 3 })).not.toEqual(describeWith({}))
})
