import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { WireError } from '../../base/errors.ts'
import type { SignallingMessage } from './signalling.ts'
import { decodeSignalling, encodeSignalling } from './signalling.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const fromHex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))

const samples: [SignallingMessage, string][] = [
  [{ type: 'offer', sdp: 'v=0', proof: Uint8Array.of(7, 8) }, '010300763d300708'],
  [{ type: 'answer', sdp: 'v=0', proof: Uint8Array.of() }, '020300763d30'],
  [{ type: 'candidate', candidate: 'abc', mid: '0' }, '030130616263'],
  [{ type: 'done' }, '04'],
]

test.each(samples)('%o has these bytes, and reads back', (message, bytes) => {
  expect(hex(encodeSignalling(message))).toBe(bytes)
  expect(decodeSignalling(fromHex(bytes))).toEqual(message)
})

test.each([
  ['no byte', '', 'SS_WIRE_TRUNCATED'],
  ['an unknown kind', '05', 'SS_WIRE_UNKNOWN'],
  ['bytes behind the end', '0400', 'SS_WIRE_TRAILING_BYTES'],
  ['no length', '0103', 'SS_WIRE_TRUNCATED'],
  ['half a description', '010400763d30', 'SS_WIRE_TRUNCATED'],
  ['a description that is too long', `010120${'61'.repeat(0x2001)}`, 'SS_WIRE_TOO_LARGE'],
  ['a proof that is too long', `010000${'00'.repeat(1_025)}`, 'SS_WIRE_TOO_LARGE'],
  ['half a section name', '030230', 'SS_WIRE_TRUNCATED'],
  ['a section name that is too long', `0321${'61'.repeat(33)}`, 'SS_WIRE_TOO_LARGE'],
  ['a candidate that is too long', `0300${'61'.repeat(513)}`, 'SS_WIRE_TOO_LARGE'],
  ['broken UTF-8', '010100ff', 'SS_WIRE_NOT_CANONICAL'],
  ['too much of all', `01${'00'.repeat(16_384)}`, 'SS_WIRE_TOO_LARGE'],
])('%s is refused', (_what, bytes, code) => {
  expect(() => decodeSignalling(fromHex(bytes))).toThrow(expect.objectContaining({ code }))
})

test('any bytes are either refused, or exactly what their message is written as', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 6 }), fc.uint8Array({ maxLength: 60 }), (kind, rest) => {
      const bytes = Uint8Array.of(kind, ...rest)
      let message: SignallingMessage
      try {
        message = decodeSignalling(bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(WireError)
        return
      }
      expect(encodeSignalling(message)).toEqual(bytes)
    }),
    { numRuns: 2_000 },
  )
})
