/**
 * The schema's codec against JSON and msgpackr, on what a match sends most: the controls of an action
 * game, 64 ticks of one player, and a move order for 20 units. msgpackr gets its records extension,
 * which leaves out the names of fields as we do.
 */
import { Packr } from 'msgpackr'
import {
  bool,
  decodeRecord,
  encodeRecord,
  fixedField,
  i16,
  list,
  oneOf,
  range,
  ref,
  struct,
} from '../../packages/samestep/src/sim/schema/index.ts'
import type { Prepared, Suite } from '../types.ts'

const input = struct({
  up: bool,
  down: bool,
  left: bool,
  right: bool,
  fire: bool.oneShot(),
  weapon: range(0, 9),
  aimX: i16,
  aimY: i16,
})

const order = struct({
  units: list(ref('units'), 200),
  x: fixedField,
  y: fixedField,
  queue: bool,
  formation: oneOf(['line', 'box', 'wedge']),
})

type Input = ReturnType<typeof input.makeDefault>
type Order = ReturnType<typeof order.makeDefault>

/** A power of two, so that the record before the first is the last. */
const ticks = 64

/** One player for two seconds: buttons for some ticks each, a mouse that moves in half of them. */
const inputs: readonly Input[] = Array.from({ length: ticks }, (_, tick) => ({
  up: (tick >> 4) % 2 === 0,
  down: false,
  left: (tick >> 3) % 3 === 0,
  right: (tick >> 3) % 3 === 1,
  fire: tick % 16 === 0,
  weapon: tick >> 5,
  aimX: (tick >> 1) * 37 - 800,
  aimY: (tick >> 1) * 11,
}))

const order20: Order = {
  units: Array.from({ length: 20 }, (_, index) => index * 7 + 1),
  x: 12_345_678,
  y: -8_765_432,
  queue: true,
  formation: 'box',
}
const orders: readonly Order[] = Array.from({ length: ticks }, () => order20)

function forEach<T>(values: readonly T[], use: (value: T) => unknown): () => unknown {
  return () => {
    let last: unknown
    for (let index = 0; index < values.length; index++) last = use(values[index]!)
    return last
  }
}

function makePackr(): Packr {
  return new Packr({ structures: [] })
}

function meanBytes(values: readonly { readonly length: number }[]): number {
  return values.reduce((sum, { length }) => sum + length, 0) / values.length
}

function prepareInputEncode(): Prepared {
  const packr = makePackr()
  return {
    contenders: {
      'schema record': forEach(inputs, (value) => encodeRecord(input, value)),
      msgpackr: forEach(inputs, (value) => packr.pack(value)),
      JSON: forEach(inputs, (value) => JSON.stringify(value)),
    },
    figures: [
      { name: 'schema record', value: Math.ceil(input.bitsMax / 8), unit: 'bytes', atMost: 6 },
      { name: 'msgpackr', value: meanBytes(inputs.map((it) => packr.pack(it))), unit: 'bytes' },
      { name: 'JSON', value: meanBytes(inputs.map((it) => JSON.stringify(it))), unit: 'bytes' },
    ],
  }
}

function prepareInputDecode(): Prepared {
  const packr = makePackr()
  const records = inputs.map((value) => encodeRecord(input, value))
  const packed = inputs.map((value) => packr.pack(value).slice())
  const texts = inputs.map((value) => JSON.stringify(value))
  return {
    contenders: {
      'schema record': forEach(records, (bytes) => decodeRecord(input, bytes)),
      msgpackr: forEach(packed, (bytes) => packr.unpack(bytes)),
      JSON: forEach(texts, (text) => JSON.parse(text)),
    },
  }
}

function prepareOrderEncode(): Prepared {
  const packr = makePackr()
  return {
    contenders: {
      schema: forEach(orders, (value) => encodeRecord(order, value)),
      'schema, checked first': forEach(orders, (value) =>
        order.accepts(value) ? encodeRecord(order, value) : undefined,
      ),
      msgpackr: forEach(orders, (value) => packr.pack(value)),
      JSON: forEach(orders, (value) => JSON.stringify(value)),
    },
    figures: [
      { name: 'schema', value: encodeRecord(order, order20).length, unit: 'bytes', atMost: 90 },
      { name: 'msgpackr', value: packr.pack(order20).length, unit: 'bytes' },
      { name: 'JSON', value: JSON.stringify(order20).length, unit: 'bytes' },
    ],
  }
}

function prepareOrderDecode(): Prepared {
  const packr = makePackr()
  const bytes = orders.map((value) => encodeRecord(order, value))
  const packed = orders.map((value) => packr.pack(value).slice())
  const texts = orders.map((value) => JSON.stringify(value))
  return {
    contenders: {
      schema: forEach(bytes, (it) => decodeRecord(order, it)),
      msgpackr: forEach(packed, (it) => packr.unpack(it)),
      JSON: forEach(texts, (it) => JSON.parse(it)),
    },
  }
}

/** Targets leave room for a busy machine: the point is that the schema never costs more than JSON. */
export const suites: readonly Suite[] = [
  {
    name: 'schema-input-encode',
    work: '64 inputs of 8 fields to bytes',
    baseline: 'JSON',
    targets: [{ of: 'schema record', against: 'JSON', atMost: 0.8 }],
    prepare: prepareInputEncode,
  },
  {
    name: 'schema-input-decode',
    work: '64 inputs of 8 fields from bytes, all checked',
    baseline: 'JSON',
    targets: [{ of: 'schema record', against: 'JSON', atMost: 0.8 }],
    prepare: prepareInputDecode,
  },
  {
    name: 'schema-order-encode',
    work: '64 orders for 20 units to bytes',
    baseline: 'JSON',
    targets: [{ of: 'schema', against: 'JSON', atMost: 1 }],
    prepare: prepareOrderEncode,
  },
  {
    name: 'schema-order-decode',
    work: '64 orders for 20 units from bytes, all checked',
    baseline: 'JSON',
    targets: [{ of: 'schema', against: 'JSON', atMost: 1 }],
    prepare: prepareOrderDecode,
  },
]
