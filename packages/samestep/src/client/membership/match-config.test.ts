import { describe, expect, test } from 'vitest'
import type { UsageError } from '../../base/errors.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import { order } from '../../sim/game/orders/order.ts'
import { bool, u8 } from '../../sim/schema/index.ts'
import { single } from '../../sim/state/single.ts'
import { lobbyDefaults, paceDefaults } from '../../wire/messages/match-config.ts'
import { slotOf } from '../../wire/testing/slot-of.ts'
import { counter, optionBytes } from '../testing/counter.ts'
import type { ClientOptions } from './client-options.ts'
import { makeConfig } from './match-config.ts'

const who = { match: 'friday', name: 'ada' }

const plain = {
  id: 'plain',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 2 },
  state: { one: single({ value: u8 }) },
  step() {},
} as const

const orderly = defineGame({
  ...plain,
  orders: {
    go: {},
    shout: order({}, { class: 'talk', whenPaused: true, maxPerTick: 2 }),
    whisper: order({}, { class: 'talk' }),
    build: order({}, { perSecond: 3 }),
    raze: order({}, { perSecond: 4, burst: 5, class: 'talk' }),
    storm: order({}, { by: 'relay' }),
  },
  apply() {},
})

function codeOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    return (error as UsageError).code
  }
  return 'nothing was thrown'
}

describe('the input delay', () => {
  const delayOf = (wish: number | { min: number; max: number } | undefined, game = counter) => {
    const { inputDelay, inputDelayMin, inputDelayMax } = makeConfig(game, {
      ...who,
      ...(wish === undefined ? {} : { inputDelay: wish }),
    })
    return [inputDelay, inputDelayMin, inputDelayMax]
  }

  test.each([
    [1, [2, 2, 2]],
    [10, [2, 2, 6]],
    [20, [2, 2, 11]],
    [30, [3, 2, 17]],
    [60, [6, 2, 33]],
    [120, [12, 2, 66]],
    [240, [24, 2, 132]],
  ])(
    '[DLY-01] at %i ticks per second is from 2 ticks to 550 ms, beginning with 100',
    (rate, delays) => {
      const { inputDelay, inputDelayMin, inputDelayMax } = makeConfig(
        { ...counter, tickRate: rate },
        who,
      )
      expect([inputDelay, inputDelayMin, inputDelayMax]).toEqual(delays)
    },
  )

  test('is none for a game without', () => {
    const { inputDelay, inputDelayMin, inputDelayMax } = makeConfig(orderly, who)
    expect([inputDelay, inputDelayMin, inputDelayMax]).toEqual([0, 0, 0])
  })

  test('is fixed by a number, and begins near the lower end of a range', () => {
    expect(delayOf(7)).toEqual([7, 7, 7])
    expect(delayOf({ min: 4, max: 9 })).toEqual([5, 4, 9])
    expect(delayOf({ min: 5, max: 5 })).toEqual([5, 5, 5])
    expect(delayOf({ min: 1, max: 191 })).toEqual([2, 1, 191])
  })

  test.each([
    -1,
    192,
    1.5,
    Number.NaN,
    { min: 6, max: 2 },
    { min: 0, max: 192 },
    0,
    { min: 0, max: 4 },
    { min: 2, max: 3.5 },
  ])('cannot be %j', (wish) => {
    expect(codeOf(() => delayOf(wish))).toBe('SS_BAD_ARGUMENT')
  })
})

test('no delay is for games without inputs: with them, every input would be late', () => {
  expect(makeConfig(orderly, { ...who, inputDelay: 0 }).inputDelay).toBe(0)
  expect(makeConfig(orderly, { ...who, inputDelay: { min: 0, max: 4 } }).inputDelayMin).toBe(0)
  expect(() => makeConfig(counter, { ...who, inputDelay: 0 })).toThrow(
    'Cannot delay inputs by 0 to 0 ticks: write whole numbers from 1 to 191, the smaller one first; an input for the tick that just ran would always be late',
  )
})

describe('lag protection', () => {
  const wait = { kind: 'wait', waitMs: 100 } as const

  test('is a word for loaded machines, or both of its settings', () => {
    const of = (lagProtection: ClientOptions<GameShape>['lagProtection']) => {
      const { lagMode, lagStretch } = makeConfig(orderly, {
        ...who,
        missing: wait,
        ...(lagProtection === undefined ? {} : { lagProtection }),
      })
      return [lagMode, lagStretch]
    }
    expect(of(undefined)).toEqual(['off', false])
    expect(of('maximum')).toEqual(['maximum', false])
    expect(of({ stretch: true })).toEqual(['off', true])
    expect(of({ mode: 'median', stretch: true })).toEqual(['median', true])
  })

  test('cannot stretch the ticks of a match that never waits', () => {
    const lagProtection = { stretch: true }
    expect(() => makeConfig(orderly, { ...who, lagProtection })).toThrow(
      "Cannot stretch ticks: missing is 'idle'; it must be { kind: 'wait', … }",
    )
    const missing = { kind: 'repeat', waitMs: 0 } as const
    expect(codeOf(() => makeConfig(orderly, { ...who, missing, lagProtection }))).toBe(
      'SS_BAD_ARGUMENT',
    )
  })
})

describe('the orders', () => {
  const config = makeConfig(orderly, who)

  test('are told by their rules alone, in their sequence', () => {
    const usual = { by: 'player', maxBytes: 1, whenPaused: false, maxPerTick: 32 }
    expect(config.orderKinds).toEqual([
      { ...usual, classIndex: 0 },
      { ...usual, whenPaused: true, maxPerTick: 2, classIndex: 1 },
      { ...usual, classIndex: 1 },
      { ...usual, classIndex: 2 },
      { ...usual, classIndex: 3 },
      { ...usual, by: 'relay', classIndex: 0 },
    ])
  })

  test('with a rate of their own are a class of their own', () => {
    expect(config.orderClasses).toEqual([
      { perSecond: 0, burst: 0 },
      { perSecond: 0, burst: 0 },
      { perSecond: 3, burst: 6 },
      { perSecond: 4, burst: 5 },
    ])
  })

  test('of too many classes are refused before anybody is asked', () => {
    const orders = Object.fromEntries(
      Array.from({ length: 32 }, (_, index) => [`o${index}`, order({}, { perSecond: 1 })]),
    )
    const game = defineGame({ ...plain, orders })
    expect(codeOf(() => makeConfig(game, who))).toBe('SS_BAD_VALUE')
  })
})

describe('the rest', () => {
  test('is the usual, where nothing is wished', () => {
    expect(makeConfig(counter, who)).toMatchObject({
      seats: 2,
      tickRate: 20,
      missing: { kind: 'idle', waitMs: 0 },
      lagMode: 'off',
      lagStretch: false,
      batching: 'never',
      lobby: lobbyDefaults,
      pace: paceDefaults,
      options: optionBytes(3),
    })
  })

  test('is as wished, and only that differs', () => {
    const config = makeConfig(counter, {
      ...who,
      seats: 4,
      options: { start: 9 },
      lagProtection: 'median',
      missing: { kind: 'wait', waitMs: 80 },
      lobby: { start: 'by-owner', countdownMs: 0 },
      pace: { pauseBy: 'vote' },
    })
    expect(config).toMatchObject({
      seats: 4,
      lagMode: 'median',
      missing: { kind: 'wait', waitMs: 80 },
      lobby: { ...lobbyDefaults, start: 'by-owner', countdownMs: 0 },
      pace: { ...paceDefaults, pauseBy: 'vote' },
      options: optionBytes(9),
    })
  })

  test('names the slots of the inputs', () => {
    const game = defineGame({ ...plain, input: { up: bool } })
    expect(makeConfig(game, who).inputSlots).toEqual([slotOf(1)])
    expect(makeConfig(orderly, who).inputSlots).toEqual([])
  })

  test.each([
    ['seats that the game is not for', { seats: 5 }, 'SS_BAD_ARGUMENT'],
    ['part of a seat', { seats: 2.5 }, 'SS_BAD_ARGUMENT'],
    ['options that do not fit', { options: { start: 1e9 } }, 'SS_BAD_VALUE'],
    ['options that there are not', { options: { begin: 1 } }, 'SS_BAD_VALUE'],
    ['a countdown without end', { lobby: { countdownMs: 1e9 } }, 'SS_BAD_VALUE'],
    ['a way to begin that there is not', { lobby: { start: 'never' } }, 'SS_BAD_VALUE'],
    ['a pause of no time', { pace: { pauseMsMax: 0 } }, 'SS_BAD_VALUE'],
    [
      'a wait beyond the patience of others',
      { missing: { kind: 'wait', waitMs: 9_000 } },
      'SS_BAD_VALUE',
    ],
  ])('cannot be %s', (_, wish, code) => {
    expect(codeOf(() => makeConfig(counter, { ...who, ...(wish as object) }))).toBe(code)
  })
})

describe('content', () => {
  const sand = 'd0'.repeat(32)
  const mud = '0d'.repeat(32)
  const game = defineGame({ ...plain, content: { 'rules.json': sand } })

  test('the files of the game and of the match go together, in one sequence and form', () => {
    const { content } = makeConfig(game, { ...who, content: { 'u\u0308': mud, a: mud } })
    expect(content.map(({ name }) => name)).toEqual(['a', 'rules.json', '\u00fc'])
    expect(content[1]?.hash).toEqual(new Uint8Array(32).fill(0xd0))
    expect(makeConfig(defineGame(plain), who).content).toEqual([])
  })

  test('a file cannot have two hashes, and a hash is one', () => {
    const make = (content: { readonly [name: string]: string }) => () =>
      makeConfig(game, { ...who, content })
    expect(make({ 'rules.json': sand })).not.toThrow()
    expect(make({ 'rules.json': mud })).toThrow(
      /'rules.json' is 0d0d0d0d…, and the game was defined/,
    )
    expect(make({ a: 'b' })).toThrow(/the hash of 'a' must be/)
  })
})
test.each([-1, 1.5, Number.NaN, 2 ** 31])(
  'memory of %d bytes for desyncs is SS_BAD_ARGUMENT',
  (bytes) => {
    const options = { match: 'm', name: 'n', desyncMemoryBytes: bytes }
    expect(() => makeConfig(counter, options)).toThrow(/desyncMemoryBytes must be/)
  },
)
describe('ORD-09 classes of orders', () => {
  const bitsOf = (orders: NonNullable<ClientOptions<GameShape>['orders']>) =>
    makeConfig(orderly, { ...who, orders }).orders

  test('are bits; those with rates of their own have one for each kind', () => {
    expect(makeConfig(orderly, who).orders).toEqual({
      whenPaused: 'declared',
      pausedClasses: 0,
      forbiddenClasses: 0,
    })
    expect(bitsOf({ whenPaused: ['talk'] })).toMatchObject({
      whenPaused: 'classes',
      pausedClasses: (1 << 1) | (1 << 3),
    })
    expect(bitsOf({ whenPaused: 'nothing', forbid: ['talk'] })).toEqual({
      whenPaused: 'nothing',
      pausedClasses: 0,
      forbiddenClasses: (1 << 1) | (1 << 3),
    })
  })

  test('that the game has not are refused with those that it has', () => {
    for (const orders of [{ forbid: ['gossip'] }, { whenPaused: [''] }]) {
      expect(() => bitsOf(orders)).toThrowError(/the classes of game 'plain' are talk/)
    }
  })

  test('let nothing run in a pause that nobody could carry out', () => {
    const game = defineGame({ ...plain, orders: { go: order({}, { class: 'talk' }) } })
    for (const whenPaused of ['everything', ['talk']] as const) {
      const make = () => makeConfig(game, { ...who, orders: { whenPaused } })
      expect(make).toThrowError(/step does not run then, and it has no apply/)
    }
    expect(makeConfig(game, { ...who, orders: { whenPaused: 'nothing' } }).orders).toBeDefined()
  })
})
