import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../sim/hash/sha256.ts'
import { makeMatchConfig } from '../wire/messages/match-config.ts'
import { hostileBytes, refusalOf } from '../wire/testing/properties.ts'
import type { DesyncFile } from './report-file.ts'
import { decodeDesyncFile, encodeDesyncFile } from './report-file.ts'
import { sampleFile } from './testing/sample-file.ts'

test('a file says what was put into it', () => {
  const bytes = encodeDesyncFile(sampleFile)
  expect(decodeDesyncFile(bytes)).toEqual(sampleFile)
  expect(bytes.byteLength).toBeLessThan(60_000)
})

test('a file of which little is known is one too', () => {
  const bare: DesyncFile = {
    ...sampleFile,
    config: makeMatchConfig({ seats: 2, tickRate: 30 }),
    agreedTick: undefined,
    culprits: [],
    pairs: [],
    sides: [],
    record: undefined,
  }
  expect(decodeDesyncFile(encodeDesyncFile(bare))).toEqual(bare)
})

describe('what is no whole file is refused:', () => {
  const bytes = encodeDesyncFile(sampleFile)

  test.each([
    ['nothing', new Uint8Array(0), 'it is none'],
    ['another file', new Uint8Array(200), 'it is none'],
    ['a cut one', bytes.slice(0, -5), 'it is not whole'],
    ['a longer one', Uint8Array.of(...bytes, 0), 'it is not whole'],
    ['one of a later version', bytes.with(8, 4), 'it is of version 4; this is version 3'],
  ])('%s', (_, wrong, why) => {
    expect(() => decodeDesyncFile(wrong)).toThrow(`Cannot read the desync file: ${why}`)
  })

  test('one with any byte changed', () => {
    for (let at = 16; at < bytes.length; at += 701) {
      const wrong = bytes.with(at, bytes[at]! ^ 1)
      expect(() => decodeDesyncFile(wrong)).toThrow('it was changed or damaged')
    }
  })
})

/** A file with this body and a hash that fits it: whoever writes one can do that. */
function seal(body: Uint8Array): Uint8Array {
  const head = encodeDesyncFile(sampleFile).slice(0, 16)
  new DataView(head.buffer).setUint32(12, body.byteLength, true)
  const whole = Uint8Array.of(...head, ...body)
  return Uint8Array.of(...whole, ...sha256(whole))
}

test('a body of hostile bytes is refused, or is one that can be written again', () => {
  const body = encodeDesyncFile(sampleFile).slice(16, -32)
  const parts = [body.slice(0, 200), body.slice(200, 700), body.slice(700)]
  const hostile = fc.tuple(...parts.map((part) => hostileBytes([part])))
  fc.assert(
    fc.property(hostile, (pieces) => {
      const bytes = seal(Uint8Array.of(...pieces.flatMap((piece) => [...piece])))
      let file: DesyncFile | undefined
      refusalOf(() => {
        file = decodeDesyncFile(bytes)
      })
      if (file !== undefined) expect(encodeDesyncFile(file)).toEqual(bytes)
    }),
    { numRuns: 300 },
  )
})

test('a length in the head that the file does not have is refused before anything is read', () => {
  const bytes = encodeDesyncFile(sampleFile)
  new DataView(bytes.buffer).setUint32(12, 0xffff_ffff, true)
  expect(refusalOf(() => decodeDesyncFile(bytes))).toBe('SS_WIRE_TRUNCATED')
})
