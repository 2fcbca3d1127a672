import { expect, test } from 'vitest'
import { WireError } from '../../base/errors.ts'
import { decodeRecord, encodeRecord, list, range, struct, text, u8 } from './index.ts'

const order = struct({ name: text(15), units: list(u8, 3) })

test('the bytes belong to the caller: a later record does not change them', () => {
  const first = encodeRecord(order, { name: 'a', units: [1] })
  const copy = [...first]
  encodeRecord(order, { name: 'bbbbbbb', units: [9, 9, 9] })
  expect([...first]).toEqual(copy)
})

test('a record that was refused leaves nothing behind for the next one', () => {
  const good = encodeRecord(order, { name: 'a', units: [1] })
  expect(() => decodeRecord(order, good.subarray(0, 1))).toThrow(WireError)
  expect(decodeRecord(order, good)).toEqual({ name: 'a', units: [1] })
  expect(() => encodeRecord(order, { name: 'a', units: [300] })).toThrow(/300/)
  expect(encodeRecord(order, { name: 'a', units: [1] })).toEqual(good)
})

test('padding that is not zero is refused', () => {
  expect(decodeRecord(range(0, 7), Uint8Array.of(0b0000_0111))).toBe(7)
  expect(() => decodeRecord(range(0, 7), Uint8Array.of(0b0001_0111))).toThrow(
    expect.objectContaining({ code: 'SS_WIRE_NOT_CANONICAL' }),
  )
})
