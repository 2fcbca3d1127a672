import { describe, expect, test } from 'vitest'
import { makeMatchConfig } from '../wire/messages/match-config.ts'
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
    ['one of a later version', bytes.with(8, 3), 'it is of version 3; this is version 2'],
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
