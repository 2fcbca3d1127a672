/** What must hold for every kind of field alike, and for every nesting of them. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BitReader } from '../../base/bit-reader.ts'
import { BitWriter } from '../../base/bit-writer.ts'
import { UsageError, WireError } from '../../base/errors.ts'
import type { AnyField, Json } from './field.ts'
import { bytes, decodeRecord, encodeRecord, i16, list, map, set, text, u8 } from './index.ts'
import { fieldCases, nestedCases, nestedValues, scalarCases } from './testing/arbitraries.ts'

const code = (expected: string) => expect.objectContaining({ code: expected })

/** Reads a stranger's bytes. Whatever is accepted must be the canonical form of what was read. */
function readStranger(field: AnyField, source: Uint8Array): void {
  let value: unknown
  try {
    value = decodeRecord(field, source)
  } catch (error) {
    if (error instanceof WireError) return
    throw error
  }
  expect(field.accepts(value)).toBe(true)
  expect([...encodeRecord(field, value)]).toEqual([...source])
}

function roundTrip(field: AnyField, value: unknown): void {
  const encoded = encodeRecord(field, value)
  const decoded = decodeRecord(field, encoded)
  const out = new BitWriter()
  field.write(out, value)
  expect(out.bitLength).toBeGreaterThanOrEqual(field.bitsMin)
  expect(out.bitLength).toBeLessThanOrEqual(field.bitsMax)
  expect(field.equals(value, decoded)).toBe(true)
  expect(decoded).toStrictEqual(field.normalise(field.copy(value)))
}

describe.each(fieldCases)('$name', ({ field, values }) => {
  test('a value decodes to itself, within the promised number of bits', () => {
    fc.assert(fc.property(values, (value) => roundTrip(field, value)))
  })

  test('the default fits, is fresh, and decodes to itself', () => {
    const value: unknown = field.makeDefault()
    expect(field.accepts(value)).toBe(true)
    expect(field.makeDefault()).toStrictEqual(value)
    if (typeof value === 'object') expect(field.makeDefault()).not.toBe(value)
    roundTrip(field, value)
  })

  test('JSON gives the value back, after a real trip through text', () => {
    fc.assert(
      fc.property(values, (value) => {
        const json = JSON.parse(JSON.stringify(field.toJson(value))) as Json
        const back: unknown = field.fromJson(json, 'it')
        expect(back).toStrictEqual(field.normalise(field.copy(value)))
      }),
    )
  })

  test('every strict prefix is refused as truncated', () => {
    fc.assert(
      fc.property(values, (value) => {
        const encoded = encodeRecord(field, value)
        for (let length = 0; length < encoded.length; length++) {
          const prefix = encoded.subarray(0, length)
          expect(() => decodeRecord(field, prefix)).toThrow(code('SS_WIRE_TRUNCATED'))
        }
      }),
      { numRuns: 30 },
    )
  })

  test('an added byte is refused', () => {
    fc.assert(
      fc.property(values, fc.nat(255), (value, extra) => {
        const longer = Uint8Array.of(...encodeRecord(field, value), extra)
        expect(() => decodeRecord(field, longer)).toThrow(code('SS_WIRE_TRAILING_BYTES'))
      }),
      { numRuns: 30 },
    )
  })

  test('random bytes give a value with exactly these bytes, or a WireError', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 24 }), (it) => readStranger(field, it)))
  })

  test('a valid encoding with one flipped bit gives such a value too, or a WireError', () => {
    fc.assert(
      fc.property(values, fc.nat(), (value, place) => {
        const encoded = encodeRecord(field, value)
        if (encoded.length === 0) return
        const bit = place % (encoded.length * 8)
        encoded[bit >>> 3]! ^= 1 << (bit & 7)
        readStranger(field, encoded)
      }),
    )
  })

  test('check refuses with SS_BAD_VALUE exactly what accepts does not accept', () => {
    const check: AnyField['check'] = field.check.bind(field)
    fc.assert(
      fc.property(fc.oneof(values, fc.anything({ withMap: true, withSet: true })), (value) => {
        if (field.accepts(value)) check(value, 'it')
        else expect(() => check(value, 'it')).toThrow(code('SS_BAD_VALUE'))
      }),
    )
  })

  test('JSON that does not fit is refused with SS_BAD_VALUE and nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        try {
          expect(field.accepts(field.fromJson(json as Json, 'it'))).toBe(true)
        } catch (error) {
          if (!(error instanceof UsageError)) throw error
          expect(error.code).toBe('SS_BAD_VALUE')
        }
      }),
    )
  })

  test('a copy is equal and shares nothing', () => {
    fc.assert(
      fc.property(values, (value) => {
        const copy: unknown = field.copy(value)
        expect(copy).toStrictEqual(value)
        if (typeof value === 'object') expect(copy).not.toBe(value)
      }),
      { numRuns: 20 },
    )
  })

  test('equality is equality of the encoded bytes', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const areSame = Buffer.compare(encodeRecord(field, a), encodeRecord(field, b)) === 0
        expect(field.equals(a, b)).toBe(areSame)
      }),
    )
  })
})

const views = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
}

describe.each(scalarCases)('$name as a column', ({ field, values }) => {
  test('a cell keeps the value, within the column’s limits', () => {
    const column = field.column!
    const cells = new views[column.type](1)
    fc.assert(
      fc.property(values, (value) => {
        cells[0] = column.toCell(value)
        const cell = cells[0]!
        expect(column.fromCell(cell)).toStrictEqual(field.normalise(value))
        expect(Number.isNaN(cell) || (cell >= column.min && cell <= column.max)).toBe(true)
      }),
    )
  })
})

describe('nested fields', () => {
  test('[P1] values decode to themselves', () => {
    fc.assert(
      fc.property(nestedValues, ({ field, value }) => {
        expect(field.accepts(value)).toBe(true)
        roundTrip(field, value)
      }),
      { numRuns: 300 },
    )
  })

  test('[P1] a stranger’s bytes are canonical or refused', () => {
    fc.assert(
      fc.property(nestedCases, fc.uint8Array({ maxLength: 40 }), ({ field }, it) =>
        readStranger(field, it),
      ),
      { numRuns: 500 },
    )
  })

  test('[P1] damaged encodings are canonical or refused', () => {
    fc.assert(
      fc.property(nestedValues, fc.nat(), fc.nat(255), ({ field, value }, place, byte) => {
        const encoded = encodeRecord(field, value)
        if (encoded.length > 0) encoded[place % encoded.length] = byte
        readStranger(field, encoded)
      }),
      { numRuns: 300 },
    )
  })

  test('a description is plain JSON and the same every time', () => {
    fc.assert(
      fc.property(nestedCases, ({ field }) => {
        const description = field.describe()
        expect(JSON.parse(JSON.stringify(description))).toStrictEqual(description)
        expect(JSON.stringify(field.describe())).toBe(JSON.stringify(description))
      }),
      { numRuns: 50 },
    )
  })
})

describe('huge declared lengths', () => {
  const max = 0xff_ffff
  /** The count `max`, then eight bytes: far too few. */
  const hostile = Uint8Array.of(0xff, 0xff, 0xff, 1, 2, 3, 4, 5, 6, 7, 8)

  test('take no memory for bytes and texts', () => {
    for (const field of [bytes(max), text(max)]) {
      const before = process.memoryUsage().arrayBuffers
      expect(() => decodeRecord<unknown>(field, hostile)).toThrow(code('SS_WIRE_TRUNCATED'))
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(max / 2)
    }
  })

  test('read not a single item of a list, map or set', () => {
    for (const make of [list, set, (item: typeof u8, size: number) => map(item, i16, size)]) {
      const input = new BitReader(hostile)
      expect(() => make(u8, max).read(input)).toThrow(code('SS_WIRE_TRUNCATED'))
      expect(input.offset).toBe(3)
    }
  })

  test('above the maximum are too large, even where the bytes would be there', () => {
    const input = new Uint8Array(64).fill(0xff)
    for (const field of [bytes(5), text(5), list(u8, 5), set(u8, 5), map(u8, u8, 5)]) {
      expect(() => decodeRecord<unknown>(field, input)).toThrow(code('SS_WIRE_TOO_LARGE'))
    }
  })
})
