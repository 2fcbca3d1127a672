/** What the golden bytes of the schema are made of, and the bytes that today's code makes of it. */
import type { AnyField, Json } from '../index.ts'
import {
  bool,
  bytes,
  encodeRecord,
  f32,
  f64,
  fixedField,
  i8,
  i16,
  i32,
  list,
  map,
  oneOf,
  optional,
  range,
  ref,
  seat,
  set,
  struct,
  text,
  u8,
  u16,
  u32,
} from '../index.ts'

/** A type with values of it, in their JSON form. The name is that of its kind, or of an example. */
export interface SchemaCase {
  readonly name: string
  readonly field: AnyField
  readonly values: readonly Json[]
}

/** One golden value. */
export interface SchemaVector {
  readonly name: string
  readonly type: Json
  readonly value: Json
  readonly hex: string
}

const move = struct({ units: list(ref('units'), 200), x: fixedField, y: fixedField, queue: bool })
const board = struct({
  turn: seat,
  names: map(seat, text(24), 8),
  seen: set(range(-10, 10), 21),
  last: optional(struct({ from: u8, to: u8 })),
  log: list(bytes(4), 3),
  best: list(f64, 4),
})

/** Every kind of field, and two records as games have them. */
export const schemaCases: readonly SchemaCase[] = [
  { name: 'bool', field: bool, values: [false, true] },
  { name: 'u8', field: u8, values: [0, 171] },
  { name: 'u16', field: u16, values: [4660] },
  { name: 'u32', field: u32, values: [3_735_928_559] },
  { name: 'i8', field: i8, values: [-1, 127] },
  { name: 'i16', field: i16, values: [-2] },
  { name: 'i32', field: i32, values: [-2_147_483_648, 2_147_483_647] },
  { name: 'f32', field: f32, values: [1.5, 'NaN', 'Infinity'] },
  { name: 'f64', field: f64, values: [-0.1, 'NaN', '-Infinity'] },
  { name: 'seat', field: seat, values: [63] },
  { name: 'fixed', field: fixedField, values: [1.5, -1 / 65_536] },
  { name: 'ref', field: ref('units'), values: [0, 65_537] },
  { name: 'range', field: range(-3, 100), values: [-3, 100] },
  {
    name: 'oneOf',
    field: oneOf(['idle', 'walk', 'attack', 'dead', 'fled']),
    values: ['idle', 'fled'],
  },
  { name: 'text', field: text(24), values: ['', 'Ada', 'hé€😀'] },
  { name: 'bytes', field: bytes(24), values: ['', '00ff10'] },
  { name: 'list', field: list(i16, 9), values: [[], [1, -1, 300]] },
  { name: 'optional', field: optional(u16), values: [null, 258] },
  {
    name: 'map',
    field: map(text(5), u8, 3),
    values: [
      [
        ['b', 2],
        ['a', 1],
      ],
    ],
  },
  { name: 'set', field: set(u8, 5), values: [[9, 1, 5]] },
  { name: 'struct', field: struct({ x: fixedField, hot: bool }), values: [{ x: 0.5, hot: true }] },
  {
    name: 'move',
    field: move,
    values: [{ units: [1, 2, 3], x: 188.38009643554688, y: -1, queue: true }],
  },
  {
    name: 'board',
    field: board,
    values: [
      {
        turn: 3,
        names: [
          [3, 'Ada'],
          [0, 'Bo'],
        ],
        seen: [-10, 10, 0],
        last: { from: 12, to: 28 },
        log: ['01', ''],
        best: [0.5, 'NaN'],
      },
      { turn: 0, names: [], seen: [], last: null, log: [], best: [] },
    ],
  },
]

/** The golden values as today's code encodes them, in the sequence of the cases. */
export function makeSchemaVectors(): SchemaVector[] {
  return schemaCases.flatMap(({ name, field, values }) =>
    values.map((value) => {
      const encoded = encodeRecord(field, field.fromJson(value, name))
      return { name, type: field.describe(), value, hex: Buffer.from(encoded).toString('hex') }
    }),
  )
}
