import { expect, test } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import { bool, f64, i16, list, oneOf, range, ref, u8 } from '../schema/index.ts'
import { readSnapshot } from '../snapshot/reader.ts'
import { writeSnapshot } from '../snapshot/writer.ts'
import type { PartDeclarations } from './part.ts'
import { State } from './state.ts'
import { table } from './table.ts'

function make<S extends PartDeclarations>(declarations: S, development = true): State<S> {
  return new State(declarations, { development })
}

const units = () =>
  make({ units: table(40, { hp: i16.default(100), on: bool, kind: oneOf(['a', 'b']) }) })

test('a new row takes the lowest free place and its defaults', () => {
  const { units: live } = units().live
  for (let row = 0; row < 40; row++) expect(live.add()).toBe(row)
  live.remove(33)
  live.remove(5)
  live.hp[6] = 1
  expect(live.add({ on: true, kind: 'b' })).toBe(5)
  expect(live.add()).toBe(33)
  expect([live.hp[5], live.on[5], live.kind[5]]).toEqual([100, 1, 1])
  expect(live.count).toBe(40)
})

test('a full table refuses a row and names its maximum', () => {
  const { units: live } = units().live
  for (let row = 0; row < 40; row++) live.add()
  expect(() => live.add()).toThrowError(/all 40 rows are in use/)
  expect(() => live.add()).toThrowError(UsageError)
})

test('a ref finds its row while it lives, and never the row that takes its place', () => {
  const { units: live } = units().live
  live.add()
  const row = live.add()
  const first = live.refOf(row)
  expect(live.rowOf(first)).toBe(row)
  live.remove(row)
  expect(live.rowOf(first)).toBe(-1)
  expect(live.add()).toBe(row)
  expect(live.rowOf(first)).toBe(-1)
  expect(live.refOf(row)).not.toBe(first)
})

test('0 is never a ref, and a ref to nowhere has no row', () => {
  const { units: live } = units().live
  expect(live.rowOf(0)).toBe(-1)
  expect(live.refOf(live.add())).not.toBe(0)
  for (const wild of [1, 63, 65, 128, 0xffff_ffff, 2 ** 31]) expect(live.rowOf(wild)).toBe(-1)
})

test('generations of a ref wrap without ever becoming 0 or matching the life before', () => {
  const { tiny } = make({ tiny: table(2, { hp: u8 }) }).live
  let before = 0
  for (let life = 0; life < 1_000; life++) {
    const row = tiny.add()
    const now = tiny.refOf(row)
    expect(now).toBeGreaterThan(0)
    expect(now).not.toBe(before)
    expect(tiny.rowOf(now)).toBe(row)
    expect(tiny.rowOf(before)).toBe(-1)
    before = now
    tiny.remove(row)
  }
})

test('iteration is in row order; removed rows are passed over, rows added behind it are visited', () => {
  const { units: live } = units().live
  for (let row = 0; row < 5; row++) live.add()
  const visited: number[] = []
  for (const row of live) {
    visited.push(row)
    if (row === 1) {
      live.remove(0)
      live.remove(3)
      live.add() // Takes row 0, which is passed already.
      live.add() // Takes row 3.
      live.add() // Takes row 5.
      live.remove(2)
    }
  }
  expect(visited).toEqual([0, 1, 3, 4, 5])
})

test('removing a row zeroes its cells, so that equal states are equal in every byte', () => {
  const { units: live } = units().live
  const row = live.add({ hp: 3, on: true })
  live.remove(row)
  expect([live.hp[row], live.on[row]]).toEqual([0, 0])
  expect(() => live.remove(row)).toThrowError(/is not alive/)
  expect(() => live.refOf(row)).toThrowError(/is not alive/)
})

test('a wrong value is kept as its column keeps it, and an unknown name left out', () => {
  const { units: live } = units().live
  expect(live.hp[live.add({ hp: 40_000 })]).toBe(-25_536)
  expect(live.hp[live.add({ speed: 1 } as never)]).toBe(100)
})

test('the view reads like the table and throws at every write', () => {
  const state = units()
  state.live.units.add({ hp: 5 })
  const view = state.view.units as unknown as typeof state.live.units
  expect([view.hp[0], view.count, view.first(), [...view]]).toEqual([5, 1, 0, [0]])
  expect(view.rowOf(view.refOf(0))).toBe(0)
  expect(() => {
    view.hp[0] = 1
  }).toThrowError(/issue an order instead/)
  expect(() => (view.hp as unknown as Int16Array).fill(0)).toThrowError(/SS_|issue an order/)
  expect(() => view.add()).toThrowError(/new row of units/)
  expect(() => view.remove(0)).toThrowError(/row of units/)
  expect(() => Object.assign(view, { hp: [] })).toThrowError(UsageError)
  const copy = (view.hp as unknown as Int16Array).subarray(0, 1)
  copy[0] = 77
  expect(state.live.units.hp[0]).toBe(5)
})

test('in production the view is the table itself', () => {
  const state = make({ units: table(4, { hp: i16 }) }, false)
  expect(state.view.units).toBe(state.live.units)
})

test('a declaration that cannot be a table says what to write instead', () => {
  const context = { tables: new Set(['units']) }
  const cases: [unknown, RegExp][] = [
    [table(0, { x: u8 }), /whole number from 1/],
    [table(1.5, { x: u8 }), /whole number from 1/],
    [table(4, {}), /name at least one/],
    [table(4, { path: list(u8, 4) }), /use plain/],
    [table(4, { add: u8 }), /member of that name/],
    [table(4, { 'a b': u8 }), /letters, digits/],
    [table(4, { to: ref('ships') }), /tables of this game are units/],
  ]
  for (const [declaration, message] of cases) {
    expect(() => (declaration as ReturnType<typeof table>).check('state.t', context)).toThrowError(
      message,
    )
  }
  expect(() => table(4, { to: ref('units') }).check('state.t', context)).not.toThrow()
})

test('normalise leaves one NaN and no negative zero', () => {
  const state = make({ p: table(8, { v: f64 }) })
  const { p } = state.live
  p.add({ v: -0 })
  p.add({ v: Number.NaN })
  const bits = new Uint32Array(state.memory.buffer, (p.v as unknown as Float64Array).byteOffset, 4)
  bits[2] = 0x1234
  bits[3] = 0xfff8_0001
  state.normalise()
  expect([...bits]).toEqual([0, 0, 0, 0x7ff8_0000])
})

test('a table whose freed rows hold no legal value still saves and loads', () => {
  const declarations = { ships: table(4, { level: range(1, 8) }) }
  const state = make(declarations)
  for (let row = 0; row < 3; row++) state.live.ships.add({ level: row + 1 })
  state.live.ships.remove(1)
  const header = {
    engine: '',
    gameId: 'g',
    gameVersion: 1,
    fingerprint: new Uint8Array(32),
    matchId: '',
    tick: 0,
  }
  const bytes = writeSnapshot(header, (out) => state.save(out))
  const copy = make(declarations)
  copy.load(readSnapshot(bytes).sections, { fileVersion: 1, gameVersion: 1, unknown: 'refuse' })
  expect([...copy.live.ships]).toEqual([0, 2])
  expect(copy.live.ships.level[2]).toBe(3)
})
