import { expect, test } from 'vitest'
import { UsageError } from '../../../base/errors.ts'
import { bool, list, range, ref, u8 } from '../../schema/index.ts'
import { table } from '../../state/table.ts'
import { order } from '../orders/order.ts'
import { system } from './context.ts'
import { defineGame } from './define-game.ts'

const fine = {
  id: 'dots',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { dots: table(4, { x: u8 }) },
  step() {},
}

test('a sound definition is taken, with 30 ticks per second unless it says otherwise', () => {
  expect(defineGame(fine).tickRate).toBe(30)
  expect(defineGame({ ...fine, tickRate: 60 }).tickRate).toBe(60)
})

test('every mistake is found at once and says what to write instead', () => {
  const mistakes: [object, RegExp][] = [
    [{ id: 'My Game' }, /lower-case letters/],
    [{ id: undefined }, /lower-case letters/],
    [{ version: 0 }, /whole number from 1/],
    [{ version: 1.5 }, /whole number from 1/],
    [{ tickRate: 1_000 }, /from 1 to 240/],
    [{ seats: { min: 3, max: 2 } }, /1 ≤ min ≤ max ≤ 64/],
    [{ seats: undefined }, /1 ≤ min ≤ max ≤ 64/],
    [{ state: undefined }, /write state:/],
    [{ state: { 'a-b': table(1, { x: u8 }) } }, /letters, digits/],
    [{ state: { dots: { x: 1 } } }, /write table\(/],
    [{ step: undefined }, /neither step nor systems/],
    [{ systems: [] }, /both step and systems/],
    [{ step: undefined, systems: [() => {}] }, /without a name/],
    [{ step: undefined, systems: [system('a', () => {}), system('a', () => {})] }, /two systems/],
    [{ orders: { go: order({}, { whenPaused: true }) } }, /write apply/],
    [{ orders: { go: order({}, { maxPerTick: 0 }) } }, /whole number from 1/],
    [{ orders: { go: order({}, { by: 'god' as never }) } }, /by: 'player'/],
    [{ orders: { go: { who: ref('ships') } } }, /tables of this game are dots/],
    [{ orders: { go: { who: list(ref('dots'), 5_000) } } }, /must fit in 1024/],
    [{ random: ['a', 'a'] }, /twice/],
    [{ render: { ships: {} } }, /not a table/],
    [{ state: { dots: table(4, { x: u8.since(2) }) } }, /raise the game's version/],
  ]
  for (const [mistake, message] of mistakes) {
    const define = () => defineGame({ ...fine, ...mistake } as never)
    expect(define, JSON.stringify(mistake)).toThrowError(message)
    expect(define).toThrowError(UsageError)
  }
})

test('the fingerprint changes with everything that two machines must agree on', () => {
  const base = { ...fine, orders: { go: { x: u8 } }, input: { up: bool }, options: { size: u8 } }
  const variants = [
    base,
    { ...base, id: 'spots' },
    { ...base, version: 2 },
    { ...base, tickRate: 20 },
    { ...base, seats: { min: 1, max: 5 } },
    { ...base, state: { dots: table(5, { x: u8 }) } },
    { ...base, state: { dots: table(4, { y: u8 }) } },
    { ...base, state: { dots: table(4, { x: u8.default(1) }) } },
    { ...base, orders: { go: { x: bool } } },
    { ...base, orders: { go: order({ x: u8 }, { maxPerTick: 3 }) } },
    { ...base, input: { down: bool } },
    { ...base, options: { size: u8.default(3) } },
    { ...base, random: ['loot'] },
    { ...base, step: undefined, systems: [system('move', () => {})] },
    { ...base, source: 'step() { x += 1 }' },
    { ...base, source: 'step() { x += 2 }' },
  ]
  const prints = variants.map((variant) => defineGame(variant as typeof base).fingerprint)
  expect(new Set(prints).size).toBe(variants.length)
  expect(defineGame({ ...base }).fingerprint).toBe(prints[0])
})

test.each([
  [u8, 'Cannot use the field u8 as state.n: wrap it: single({ n: u8 })'],
  [range(0, 3), 'Cannot use the field range as state.n: wrap it: single({ n: range })'],
  [list(u8, 4), 'Cannot use the field list as state.n: wrap it: plain(struct({ n: list }))'],
])('a field that stands alone in the state is refused with how to wrap it', (n, message) => {
  const state = { n } as never
  const definition = { id: 'bare', version: 1, seats: { min: 1, max: 1 }, state, step() {} }
  expect(() => defineGame(definition)).toThrowError(message)
})
