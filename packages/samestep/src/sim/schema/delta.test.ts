import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BitReader } from '../../base/bit-reader.ts'
import { BitWriter } from '../../base/bit-writer.ts'
import { WireError } from '../../base/errors.ts'
import type { AnyField, StructField } from './index.ts'
import {
  bool,
  deltaBitsMax,
  f32,
  heldInput,
  heldInputInto,
  i16,
  list,
  range,
  readDelta,
  readDeltaInto,
  struct,
  u8,
  writeDelta,
} from './index.ts'
import { fieldCases } from './testing/arbitraries.ts'

const code = (expected: string) => expect.objectContaining({ code: expected })

function encodeDelta<T extends object>(record: StructField<T>, value: T, previous: T): Uint8Array {
  const out = new BitWriter()
  writeDelta(out, record, value, previous)
  return out.finish()
}

function decodeDelta<T extends object>(record: StructField<T>, it: Uint8Array, previous: T): T {
  const input = new BitReader(it)
  const value = readDelta(input, record, previous)
  input.end()
  return value
}

/** The bits of a difference, the first one first. */
function bitsOf<T extends object>(record: StructField<T>, value: T, previous: T): string {
  const out = new BitWriter()
  writeDelta(out, record, value, previous)
  const input = new BitReader(out.view())
  return Array.from({ length: out.bitLength }, () => input.bits(1)).join('')
}

const pad = struct({ up: bool, fire: bool.oneShot(), aim: i16, weapon: range(0, 9) })
const idle = pad.makeDefault()

describe('differences of records', () => {
  test('an unchanged record is one bit', () => {
    expect(bitsOf(pad, { ...idle, aim: 5 }, { ...idle, aim: 5 })).toBe('0')
  })

  test('a changed one is a bit, the mask and the changed fields', () => {
    const now = { up: true, fire: false, aim: 3, weapon: 0 }
    expect(bitsOf(pad, now, idle)).toBe('11010' + '1100000000000000')
  })

  test('a changed bool needs no bit but that in the mask', () => {
    expect(bitsOf(pad, { ...idle, up: true }, idle)).toBe('11000')
    expect(bitsOf(pad, idle, { ...idle, up: true })).toBe('11000')
  })

  test('a record of one field has no first bit, a record of none has no bits', () => {
    const one = struct({ fire: bool })
    expect(bitsOf(one, { fire: false }, { fire: false })).toBe('0')
    expect(bitsOf(one, { fire: true }, { fire: false })).toBe('1')
    expect(bitsOf(struct({}), {}, {})).toBe('')
    expect(decodeDelta(struct({}), new Uint8Array(0), {})).toEqual({})
    expect([deltaBitsMax(one), deltaBitsMax(struct({})), deltaBitsMax(pad)]).toEqual([1, 0, 25])
  })

  test('a one-shot is compared with its default, whatever it was before', () => {
    const shot = { ...idle, fire: true }
    expect(bitsOf(pad, shot, idle)).toBe('10100')
    expect(bitsOf(pad, shot, shot)).toBe('10100')
    expect(bitsOf(pad, idle, shot)).toBe('0')
    const wheel = struct({ turn: i16.default(7).oneShot(), up: bool })
    expect(bitsOf(wheel, { turn: 7, up: false }, { turn: 99, up: false })).toBe('0')
    expect(decodeDelta(wheel, Uint8Array.of(0), { turn: 99, up: true })).toEqual({
      turn: 7,
      up: true,
    })
  })

  test('a one-shot that is a list goes back to a fresh default', () => {
    const record = struct({ spots: list(u8, 3).default([1]).oneShot(), up: bool })
    const previous = { spots: [2, 3], up: true }
    const first = decodeDelta(record, Uint8Array.of(0), previous)
    expect(first).toEqual({ spots: [1], up: true })
    first.spots.push(9)
    expect(decodeDelta(record, Uint8Array.of(0), previous)).toEqual({ spots: [1], up: true })
  })

  test('floats that are written alike are not changed', () => {
    const record = struct({ x: f32, y: f32 })
    expect(bitsOf(record, { x: Number.NaN, y: -0 }, { x: Number.NaN, y: 0 })).toBe('0')
    expect(bitsOf(record, { x: 0.1, y: 0 }, { x: Math.fround(0.1), y: 0 })).toBe('0')
  })

  test('a mask without a bit is not canonical', () => {
    expect(() => decodeDelta(pad, Uint8Array.of(0b00001), idle)).toThrow(
      code('SS_WIRE_NOT_CANONICAL'),
    )
  })

  test('a field that is marked and is not changed is not canonical', () => {
    const out = new BitWriter()
    out.bits(0b01001, 5)
    out.bits(3, 16)
    expect(decodeDelta(pad, out.finish(), idle)).toEqual({ ...idle, aim: 3 })
    expect(() => decodeDelta(pad, out.finish(), { ...idle, aim: 3 })).toThrow(
      code('SS_WIRE_NOT_CANONICAL'),
    )
  })

  test('a target that is there is filled and returned, also when it is the previous record', () => {
    const now = { up: true, fire: true, aim: -5, weapon: 9 }
    const input = new BitReader(encodeDelta(pad, now, idle))
    const target = pad.makeDefault()
    expect(readDeltaInto(input, pad, idle, target)).toBe(target)
    expect(target).toEqual(now)
    input.reset(encodeDelta(pad, idle, now))
    expect(readDeltaInto(input, pad, target, target)).toEqual(idle)
  })

  test('a held input keeps its fields and lets go of its one-shots', () => {
    const previous = { up: true, fire: true, aim: -5, weapon: 9 }
    const held = { ...previous, fire: false }
    expect(heldInput(pad, previous)).toEqual(held)
    expect(previous.fire).toBe(true)
    expect(bitsOf(pad, heldInput(pad, previous), previous)).toBe('0')
    expect(heldInputInto(pad, previous, previous)).toBe(previous)
    expect(previous).toEqual(held)
  })
})

/** Records of up to 70 arbitrary fields, some of them one-shot, with a sequence of values. */
const histories = fc
  .array(fc.tuple(fc.constantFrom(...fieldCases), fc.boolean()), { maxLength: 70, size: 'max' })
  .chain((members) => {
    const fields: { [name: string]: AnyField } = {}
    const values: { [name: string]: fc.Arbitrary<unknown> } = {}
    members.forEach(([member, isOneShot], index) => {
      fields[`f${index}`] = isOneShot ? member.field.oneShot() : member.field
      // Half of the time the default, so that fields also stay as they are.
      values[`f${index}`] = fc.oneof(fc.constant(member.field.makeDefault()), member.values)
    })
    const record = struct(fields)
    return fc.record({
      record: fc.constant(record),
      sequence: fc.array(fc.record(values, { noNullPrototype: true }), { maxLength: 5 }),
    })
  })

describe('sequences of differences', () => {
  test('[P1] every record comes back, within the promised bits, and equals its full form', () => {
    fc.assert(
      fc.property(histories, ({ record, sequence }) => {
        let [sent, received] = [record.makeDefault(), record.makeDefault()]
        for (const value of sequence) {
          const out = new BitWriter()
          writeDelta(out, record, value, sent)
          expect(out.bitLength).toBeLessThanOrEqual(deltaBitsMax(record))
          received = decodeDelta(record, out.finish(), received)
          expect(received).toStrictEqual(record.normalise(record.copy(value)))
          sent = value
        }
      }),
      { numRuns: 60 },
    )
  })

  test('[P1] a stranger’s difference is canonical or refused', () => {
    const bytes = fc.uint8Array({ maxLength: 16 })
    fc.assert(
      fc.property(histories, bytes, fc.nat(), ({ record, sequence }, random, place) => {
        const [previous = record.makeDefault(), value = previous] = sequence
        const damaged = encodeDelta(record, value, previous)
        if (damaged.length > 0) damaged[place % damaged.length]! ^= 1 << (place & 7)
        for (const it of [random, damaged]) {
          try {
            const read = decodeDelta(record, it, previous)
            expect([...encodeDelta(record, read, previous)]).toEqual([...it])
          } catch (error) {
            if (!(error instanceof WireError)) throw error
          }
        }
      }),
      { numRuns: 200 },
    )
  })

  test('every strict prefix of a difference is truncated', () => {
    fc.assert(
      fc.property(histories, ({ record, sequence }) => {
        const previous = record.makeDefault()
        for (const value of sequence) {
          const whole = encodeDelta(record, value, previous)
          for (let length = 0; length < whole.length; length++) {
            const prefix = whole.subarray(0, length)
            expect(() => decodeDelta(record, prefix, previous)).toThrow(code('SS_WIRE_TRUNCATED'))
          }
        }
      }),
      { numRuns: 15 },
    )
  })
})
