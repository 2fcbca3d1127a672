import { describe, expect, test } from 'vitest'
import type { AnyField, ColumnType } from '../schema/index.ts'
import { bool, f32, f64, i8, i16, i32, oneOf, range, u8, u16, u32 } from '../schema/index.ts'
import { cellRanges, makeCells } from './cells.ts'
import { snapshotEncodings } from './format.ts'
import type { ColumnLoadOptions } from './migrate.ts'
import { loadColumns } from './migrate.ts'
import { readSnapshot } from './reader.ts'
import type { Cells, TableSection } from './section.ts'
import { expectBits, expectCode } from './testing/files.ts'
import { sampleHeader } from './testing/sample.ts'
import { writeSnapshot } from './writer.ts'

type FileColumns = { readonly [name: string]: readonly [ColumnType, readonly number[]] }
type Fields = { readonly [name: string]: AnyField }

const rowsMax = 8

/** A table as a file has it. */
function tableOf(columns: FileColumns, encoding = snapshotEncodings[1]!): TableSection {
  const rows = Object.values(columns)[0]?.[1].length ?? 0
  const bytes = writeSnapshot(
    sampleHeader,
    (out) => {
      out.beginTable('units', rows)
      for (const [name, [type, values]] of Object.entries(columns)) {
        const cells = makeCells(type, rows)
        cells.set(values)
        out.column(name, type, cells)
      }
      out.endTable()
    },
    { encoding },
  )
  const section = readSnapshot(bytes).sections[0]
  if (section?.kind !== 'table') throw new Error('The section is a table')
  return section
}

/** Loads a table into fields, and gives the loaded rows. */
function load(
  section: TableSection,
  fields: Fields,
  options: Partial<ColumnLoadOptions> = {},
): { [name: string]: number[] } {
  const targets = Object.entries(fields).map(([name, field]) => {
    const cells = makeCells(field.column?.type ?? 'u8', rowsMax)
    return { name, field, cells }
  })
  const whole = { fileVersion: 1, gameVersion: 3, unknown: 'refuse', ...options } as const
  loadColumns(section, targets, whole, rowsMax)
  return Object.fromEntries(
    targets.map(({ name, cells }) => [name, [...cells.subarray(0, section.rows)]]),
  )
}

describe('three versions of a game', () => {
  // 1: a unit has health in a byte and a colour. 2: health is called hp; armour is new. 3: hp is wider,
  // the colour has gone, and a shield is new.
  const one = tableOf({ x: ['i32', [5, -6]], health: ['u8', [100, 200]], colour: ['u8', [1, 2]] })
  const two = tableOf({
    x: ['i32', [5, -6]],
    hp: ['u8', [100, 200]],
    colour: ['u8', [1, 2]],
    armour: ['u8', [3, 4]],
  })
  const three = tableOf({
    x: ['i32', [5, -6]],
    hp: ['i16', [100, 200]],
    armour: ['u8', [3, 4]],
    shield: ['f32', [0.5, 1.5]],
  })
  const fieldsOne = { x: i32, health: u8, colour: u8 }
  const fieldsTwo = { x: i32, hp: u8.was('health'), colour: u8, armour: u8.default(9).since(2) }
  const fieldsThree = {
    x: i32,
    hp: i16.was('health'),
    armour: u8.default(9).since(2),
    shield: f32.default(0.25).since(3),
  }
  const x = [5, -6]
  const hp = [100, 200]

  test('version 1 loads in version 1', () => {
    expect(load(one, fieldsOne)).toEqual({ x, health: hp, colour: [1, 2] })
  })

  test('version 1 loads in version 2', () => {
    expect(load(one, fieldsTwo)).toEqual({ x, hp, colour: [1, 2], armour: [9, 9] })
  })

  test('version 1 loads in version 3', () => {
    expect(load(one, fieldsThree, { retired: ['colour'] })).toEqual({
      x,
      hp,
      armour: [9, 9],
      shield: [0.25, 0.25],
    })
  })

  test('version 2 loads in version 3', () => {
    expect(load(two, fieldsThree, { fileVersion: 2, retired: ['colour'] })).toEqual({
      x,
      hp,
      armour: [3, 4],
      shield: [0.25, 0.25],
    })
  })

  test('version 3 loads in version 3', () => {
    expect(load(three, fieldsThree, { fileVersion: 3, retired: ['colour'] })).toEqual({
      x,
      hp,
      armour: [3, 4],
      shield: [0.5, 1.5],
    })
  })

  test('a column that the file should have is missed', () => {
    expectCode(
      () => load(one, fieldsThree, { fileVersion: 2, retired: ['colour'] }),
      'SS_WIRE_MISMATCH',
    )
    expect(() => load(one, fieldsThree, { fileVersion: 2 })).toThrow("it has no column 'armour'")
  })

  test('a column that no version declares is refused, or skipped if so asked', () => {
    expectCode(() => load(one, { x: i32, health: u8 }), 'SS_WIRE_UNKNOWN')
    expect(load(one, { x: i32, health: u8 }, { unknown: 'skip' })).toEqual({ x, health: hp })
  })
})

describe('names', () => {
  test('of several former names any is found, and the present one before all', () => {
    const field = u8.was('b', 'a')
    expect(load(tableOf({ a: ['u8', [1]] }), { c: field })).toEqual({ c: [1] })
    expect(load(tableOf({ b: ['u8', [2]] }), { c: field })).toEqual({ c: [2] })
    const both = tableOf({ a: ['u8', [1]], b: ['u8', [2]], c: ['u8', [3]] })
    expect(load(both, { c: field }, { unknown: 'skip' })).toEqual({ c: [3] })
  })

  test('a new field may take the name that another had before', () => {
    const fields = { speed: u8.default(7).since(2), oldSpeed: u8.was('speed') }
    expect(load(tableOf({ speed: ['u8', [1]] }), fields)).toEqual({ speed: [7], oldSpeed: [1] })
    const later = tableOf({ speed: ['u8', [2]], oldSpeed: ['u8', [1]] })
    expect(load(later, fields, { fileVersion: 2 })).toEqual({ speed: [2], oldSpeed: [1] })
  })

  test('no column fills two fields', () => {
    const fields = { a: u8, b: u8.was('a') }
    expectCode(() => load(tableOf({ a: ['u8', [1]] }), fields), 'SS_WIRE_MISMATCH')
  })

  test('a column from before its field existed is not taken for it', () => {
    const table = tableOf({ a: ['u8', [1]] })
    expectCode(() => load(table, { a: u8.since(2) }), 'SS_WIRE_UNKNOWN')
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is a name like any',
    (name) => {
      const table = tableOf(Object.fromEntries([[name, ['u8', [6]]]]) as FileColumns)
      expect(load(table, Object.fromEntries([[name, u8]]))).toEqual(
        Object.fromEntries([[name, [6]]]),
      )
      expectCode(() => load(table, { a: u8 }), 'SS_WIRE_MISMATCH')
    },
  )
})

describe('types', () => {
  const fields: { readonly [T in ColumnType]: AnyField } = { u8, u16, u32, i8, i16, i32, f32, f64 }
  const types = Object.keys(fields) as ColumnType[]
  const interesting = [0, 1, -1, 127, 128, 255, 256, -128, -129, 32_767, 32_768, 65_535, 65_536]
  interesting.push(
    16_777_216,
    16_777_217,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31),
    2 ** 32 - 1,
    0.5,
    1e300,
  )

  test.each(types.flatMap((from) => types.map((to) => [from, to] as const)))(
    'from %s to %s every number stays the same, or is refused',
    (from, to) => {
      for (const value of interesting) {
        const source = makeCells(from, 1)
        source[0] = value
        if (source[0] !== value) continue
        const target = makeCells(to, 1)
        target[0] = value
        const table = tableOf({ a: [from, [value]] })
        if (target[0] === value) expect(load(table, { a: fields[to] })).toEqual({ a: [value] })
        else expectCode(() => load(table, { a: fields[to] }), 'SS_WIRE_OUT_OF_RANGE')
      }
    },
  )

  test('the smallest and the largest of each type load into it', () => {
    for (const type of types) {
      const values = [...cellRanges[type]]
      expect(load(tableOf({ a: [type, values] }), { a: fields[type] })).toEqual({ a: values })
    }
  })

  test('NaN moves between floats, and nowhere else', () => {
    const table = tableOf({ a: ['f32', [Number.NaN]] })
    expect(load(table, { a: f64 })).toEqual({ a: [Number.NaN] })
    expectCode(() => load(table, { a: i32 }), 'SS_WIRE_OUT_OF_RANGE')
  })
})

describe('cells', () => {
  test.each([
    ['a range', range(10, 20), 'u8', [10, 20], [9, 21]],
    ['a range below zero', range(-5, 5), 'i8', [-5, 5], [-6, 6]],
    ['a truth', bool, 'u8', [0, 1], [2]],
    ['a word', oneOf(['a', 'b', 'c']), 'u8', [0, 2], [3]],
  ] as const)('of %s are checked against its limits', (_what, field, type, good, bad) => {
    expect(field.column?.type).toBe(type)
    expect(load(tableOf({ a: [type, good] }), { a: field as AnyField })).toEqual({ a: good })
    for (const value of bad) {
      const table = tableOf({ a: [type, [good[0], value]] })
      expectCode(() => load(table, { a: field as AnyField }), 'SS_WIRE_OUT_OF_RANGE')
      expect(() => load(table, { a: field as AnyField })).toThrow(`column 'a', row 1: ${value}`)
    }
  })

  test('of free rows may be zero where the field allows no zero, but nothing else', () => {
    const isFreeRow = (row: number) => row === 1
    const field = { a: range(10, 20) }
    expect(load(tableOf({ a: ['u8', [15, 0]] }), field, { isFreeRow })).toEqual({ a: [15, 0] })
    for (const values of [
      [0, 0],
      [15, 9],
    ]) {
      expectCode(
        () => load(tableOf({ a: ['u8', values] }), field, { isFreeRow }),
        'SS_WIRE_OUT_OF_RANGE',
      )
    }
  })

  const bits32 = (bits: number): number[] => [...new Float32Array(Uint32Array.of(bits).buffer)]

  test.each([
    ['-0 in f64', f64, Float64Array.of(-0)],
    ['-0 in f32', f32, Float32Array.of(-0)],
    ['another NaN in f64', f64, new Float64Array(Uint32Array.of(1, 0x7ff8_0000).buffer)],
    ['a negative NaN in f64', f64, new Float64Array(Uint32Array.of(0, 0xfff8_0000).buffer)],
    ['a NaN of low bits in f64', f64, new Float64Array(Uint32Array.of(1, 0x7ff0_0000).buffer)],
    ['another NaN in f32', f32, new Float32Array(Uint32Array.of(0x7fc0_0001).buffer)],
    ['a negative NaN in f32', f32, new Float32Array(Uint32Array.of(0xffc0_0000).buffer)],
  ] as const)('refuses %s, which no hash would tell', (_what, field, cells) => {
    const bytes = writeSnapshot(sampleHeader, (out) => {
      out.beginTable('units', 1)
      out.column('a', field.kind, cells)
      out.endTable()
    })
    const section = readSnapshot(bytes).sections[0] as TableSection
    expectCode(() => load(section, { a: field }), 'SS_WIRE_NOT_CANONICAL')
  })

  test('accepts the one NaN, both infinities and the smallest fractions', () => {
    const values = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324, -5e-324, 0]
    expect(load(tableOf({ a: ['f64', values] }), { a: f64 })).toEqual({ a: values })
    const nan = new Float64Array(Uint32Array.of(0, 0x7ff8_0000).buffer)
    expect(load(tableOf({ a: ['f64', [...nan]] }), { a: f64 })).toEqual({ a: [Number.NaN] })
    expect(load(tableOf({ a: ['f32', bits32(1)] }), { a: f32 })).toEqual({ a: bits32(1) })
  })
})

test('more rows than the table can hold are refused before any is read', () => {
  const table = tableOf({ a: ['u8', new Array(rowsMax + 1).fill(1)] })
  expectCode(() => load(table, { a: u8 }), 'SS_WIRE_TOO_LARGE')
})

test('rows behind those of the file keep what they hold', () => {
  for (const encoding of snapshotEncodings) {
    const cells: Cells = new Uint8Array(rowsMax).fill(99)
    const options = { fileVersion: 1, gameVersion: 1, unknown: 'refuse' } as const
    const targets = [
      { name: 'a', field: u8, cells },
      { name: 'b', field: u8.since(2).default(5), cells: new Uint8Array(rowsMax).fill(99) },
    ]
    loadColumns(tableOf({ a: ['u8', [1, 2]] }, encoding), targets, options, rowsMax)
    expectBits(cells, Uint8Array.of(1, 2, 99, 99, 99, 99, 99, 99))
    expectBits(targets[1]?.cells, Uint8Array.of(5, 5, 99, 99, 99, 99, 99, 99))
  }
})
