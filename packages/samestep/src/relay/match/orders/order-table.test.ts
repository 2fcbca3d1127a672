import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OrderCodec, order } from '../../../sim/game/orders/order.ts'
import { orderKindsMax } from '../../../sim/limits.ts'
import { bool, bytes as bytesOf, u8 } from '../../../sim/schema/index.ts'
import { orderClassesMax } from '../../../wire/limits.ts'
import type { Issuer, OrderKind, OrderTable } from './order-table.ts'
import { checkOrderTable, OrderRulebook, TickCaps } from './order-table.ts'

const kind: OrderKind = {
  by: 'player',
  maxBytes: 1_024,
  whenPaused: false,
  maxPerTick: 32,
  classIndex: 0,
}
const free = { perSecond: 0, burst: 0 }

function tableOf(kinds: readonly OrderKind[], classes = [free]): OrderTable {
  return { kinds, classes }
}

/** The table that a client makes of its game. */
function tableOfGame(codec: OrderCodec): OrderTable {
  const names = [...new Set(codec.types.map((type) => type.class))]
  const kinds = codec.types.map(({ by, bytesMax, whenPaused, maxPerTick, class: name }) => ({
    by,
    maxBytes: bytesMax,
    whenPaused,
    maxPerTick,
    classIndex: names.indexOf(name),
  }))
  return tableOf(
    kinds,
    names.map(() => free),
  )
}

describe('the rules of an order', () => {
  const codec = new OrderCodec({
    move: { x: u8, y: u8 },
    resign: order({}, { whenPaused: true, maxPerTick: 1 }),
    weather: order({ rain: bool }, { by: 'relay' }),
    mark: order({ x: u8 }, { whenPaused: true, class: 'map' }),
    build: order({ what: u8 }, { class: 'construction' }),
  })
  const rules = new OrderRulebook(tableOfGame(codec))
  const move = codec.encode('move', { x: 1, y: 2 })
  const resign = codec.encode('resign', {})
  const weather = codec.encode('weather', { rain: true })
  const mark = codec.encode('mark', { x: 255 })

  test('are found by the bits that the game writes, without knowing the game', () => {
    expect(codec.types.map(({ index }) => index)).toEqual(
      [move, resign, weather, mark, codec.encode('build', { what: 9 })].map((bytes) =>
        rules.kindOf(bytes),
      ),
    )
  })

  test('SEC-03 let nobody give what only the relay gives, or what does not exist', () => {
    expect(rules.refusalOf(weather)).toBe('wrong-order')
    expect(rules.refusalOf(Uint8Array.of(7))).toBe('wrong-order')
    expect(rules.refusalOf(new Uint8Array(0))).toBe('wrong-order')
    expect(rules.refusalOf(move)).toBeUndefined()
  })

  test('ORD-08 say who may give an order, and how large it may be', () => {
    const open = new OrderCodec({
      move: { x: u8 },
      cheer: order({ x: u8 }, { by: 'spectator' }),
      say: order({ words: bytesOf(100) }, { by: 'everybody', maxBytes: 9 }),
      rain: order({}, { by: 'relay' }),
    })
    const table = new OrderRulebook(tableOfGame(open))
    const verdicts = (issuer: Issuer) => {
      return [0, 1, 2, 3].map((kindIndex) => table.refusalOf(Uint8Array.of(kindIndex), issuer))
    }
    const wrong = 'wrong-order'
    // Seats change hands: whoever plays now may have watched when it was issued.
    expect(verdicts('player')).toEqual([undefined, 'no-seat', undefined, wrong])
    expect(verdicts('spectator')).toEqual(['no-seat', undefined, undefined, wrong])
    expect(verdicts('relay')).toEqual([wrong, wrong, wrong, undefined])
    const large = new Uint8Array(10).fill(2)
    expect(table.refusalOf(large.subarray(0, 9))).toBeUndefined()
    expect(table.refusalOf(large)).toBe('too-large')
    // Of a kind without a limit of its own, what its fields can take.
    expect(table.refusalOf(new Uint8Array(3))).toBe('too-large')
  })

  test('ORD-09 forbid the classes that the match does not allow, and hold what its pauses do not', () => {
    const orders = {
      whenPaused: 'classes',
      pausedClasses: 1 << 2,
      forbiddenClasses: 1 << 1,
    } as const
    const strict = new OrderRulebook(tableOfGame(codec), orders)
    const build = codec.encode('build', { what: 1 })
    expect(strict.refusalOf(mark)).toBe('forbidden')
    expect([move, build, weather].map((bytes) => strict.refusalOf(bytes))).toEqual([
      undefined,
      undefined,
      'wrong-order',
    ])
    expect([move, resign, build].map((bytes) => strict.waitsInPause(bytes))).toEqual([
      true,
      true,
      false,
    ])
  })

  test('ORD-10 tell what waits for the end of a pause', () => {
    const waits = [move, resign, mark, Uint8Array.of(7)].map((bytes) => rules.waitsInPause(bytes))
    // What is of no kind was never let in, and waits for nothing.
    expect(waits).toEqual([true, false, false, false])
  })

  test('of a game with a single kind need no bits', () => {
    const single = new OrderCodec({ go: {} })
    const one = new OrderRulebook(tableOfGame(single))
    expect(one.refusalOf(single.encode('go', {}))).toBeUndefined()
    const none = new OrderRulebook(tableOf([]))
    expect(none.refusalOf(new Uint8Array(0))).toBe('wrong-order')
  })

  test('hold for the largest table', () => {
    const classes = Array.from({ length: orderClassesMax }, () => free)
    const kinds = Array.from({ length: orderKindsMax }, (_, index) => ({
      ...kind,
      classIndex: index % orderClassesMax,
    }))
    const large = new OrderRulebook(tableOf(kinds, classes))
    expect(large.refusalOf(Uint8Array.of(255))).toBeUndefined()
    expect(large.classOf(large.kindOf(Uint8Array.of(255)))).toBe(255 % orderClassesMax)
  })
})

test('no order makes the rulebook throw', () => {
  const rules = new OrderRulebook(tableOf([kind, { ...kind, by: 'relay' }, kind]))
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 8 }), (bytes) => {
      const fault = rules.refusalOf(bytes)
      const number = bytes.length === 0 ? 3 : bytes[0]! & 3
      expect(fault === 'wrong-order').toBe(number === 1 || number === 3)
      expect(rules.waitsInPause(bytes)).toBe(number !== 3)
    }),
  )
})

const badTables: readonly (readonly [string, OrderTable])[] = [
  ['a class that does not exist', tableOf([{ ...kind, classIndex: 1 }])],
  ['no class at all', tableOf([kind], [])],
  ['a rate without a burst', tableOf([kind], [{ perSecond: 1, burst: 0 }])],
  ['a burst without a rate', tableOf([kind], [{ perSecond: 0, burst: 1 }])],
]

test.each(badTables)('a table with %s is refused with a sentence', (_, table) => {
  expect(checkOrderTable(table)).toMatch(/\w/)
  expect(() => new OrderRulebook(table)).toThrowError(/unchecked/)
})

test('caps count by seat and kind, and start over with each tick', () => {
  const caps = new TickCaps(new OrderRulebook(tableOf([{ ...kind, maxPerTick: 2 }, kind])), 2)
  const [first, second] = [Uint8Array.of(0), Uint8Array.of(1)]
  const counted = [first, first, first, second].map((bytes) => caps.count(0, bytes))
  expect(counted).toEqual([true, true, false, true])
  expect(caps.count(1, first)).toBe(true)
  caps.startTick(false)
  expect([first, first, first].map((bytes) => caps.count(0, bytes))).toEqual([true, true, false])
})

test('ORD-10 a tick of a pause holds what may not run in it', () => {
  const rules = new OrderRulebook(tableOf([kind, { ...kind, whenPaused: true }]))
  const caps = new TickCaps(rules, 1)
  const held = () => [0, 1].map((index) => caps.isHeld(Uint8Array.of(index)))
  expect(held()).toEqual([false, false])
  caps.startTick(true)
  expect(held()).toEqual([true, false])
  caps.startTick(false)
  expect(held()).toEqual([false, false])
})
