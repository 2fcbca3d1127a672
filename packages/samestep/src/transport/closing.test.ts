import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clipReason, makeEnd, reasonBytesMax } from './closing.ts'

test('a reason fits 123 bytes of UTF-8, is the longest beginning that does, and is well formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (reason) => {
      const clipped = clipReason(reason)
      expect(Buffer.byteLength(clipped)).toBeLessThanOrEqual(reasonBytesMax)
      expect(reason.startsWith(clipped)).toBe(true)
      const next = [...reason][[...clipped].length]
      if (next === undefined) expect(clipped).toBe(reason)
      else expect(Buffer.byteLength(clipped + next)).toBeGreaterThan(reasonBytesMax)
    }),
  )
})

test('half a surrogate pair becomes what UTF-8 makes of it', () => {
  expect(clipReason('a\ud800b')).toBe('a\ufffdb')
  expect(clipReason('\udc00')).toBe('\ufffd')
})

test('the end carries what travels', () => {
  expect(makeEnd(4001, 'x'.repeat(200))).toEqual({ code: 4001, reason: 'x'.repeat(123) })
  expect(makeEnd(1000, '')).toEqual({ code: 1000, reason: '' })
})
