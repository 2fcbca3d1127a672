import { expect, test } from 'vitest'
import {
  bodyOf,
  decodeEnd,
  encodeEnd,
  everybody,
  frameBytesMax,
  idText,
  isFrom,
  joinFrame,
  kindFor,
  makeHead,
  senderOf,
} from './frame.ts'

const to = Uint8Array.from({ length: 16 }, (_, index) => index)
const from = Uint8Array.from({ length: 16 }, (_, index) => 0xf0 + index)

test('a frame has these bytes, and is read back by whom it is for', () => {
  const frame = joinFrame(makeHead('packet', to, from, false), Uint8Array.of(7, 8))
  expect(Buffer.from(frame).toString('hex')).toBe(
    'b503000102030405060708090a0b0c0d0e0ff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff0708',
  )
  expect(kindFor(frame, to, false)).toBe('packet')
  expect(senderOf(frame)).toEqual(from)
  expect(isFrom(frame, from)).toBe(true)
  expect(isFrom(frame, to)).toBe(false)
  expect(bodyOf(frame)).toEqual(Uint8Array.of(7, 8))
  expect(idText(to)).toBe('000102030405060708090a0b0c0d0e0f')
})

test('whatever is not for this id, not of this mark, or no frame at all is nobody’s', () => {
  const frame = joinFrame(makeHead('hello', everybody, from, true), new Uint8Array(0))
  expect(kindFor(frame, everybody, true)).toBe('hello')
  expect(kindFor(frame, to, true)).toBeUndefined()
  expect(kindFor(frame, everybody, false)).toBeUndefined()
  expect(kindFor(frame.subarray(0, 33), everybody, true)).toBeUndefined()
  const large = joinFrame(frame, new Uint8Array(frameBytesMax))
  expect(kindFor(large, everybody, true)).toBeUndefined()
  for (const kind of [0, 7, 255]) {
    const unknown = frame.slice()
    unknown[1] = kind
    expect(kindFor(unknown, everybody, true)).toBeUndefined()
  }
})

test('a farewell carries code and reason, and only codes that exist', () => {
  const end = { code: 4009, reason: 'match over' }
  expect(decodeEnd(encodeEnd(end))).toEqual(end)
  expect(decodeEnd(encodeEnd({ code: 1001, reason: '' }))).toEqual({ code: 1001, reason: '' })
  for (const code of [0, 1006, 3999, 5000]) {
    expect(decodeEnd(encodeEnd({ code, reason: '' }))).toBeUndefined()
  }
  expect(decodeEnd(Uint8Array.of(1))).toBeUndefined()
  expect(decodeEnd(new Uint8Array(200))).toBeUndefined()
  expect(() => decodeEnd(Uint8Array.of(0xe8, 3, 0xff))).toThrow(/Cannot read a text/)
})
