import fc from 'fast-check'
import { expect, test } from 'vitest'
import { utf8Length } from '../base/utf8.ts'
import { chatBytesMax, playerNameBytesMax } from './limits.ts'
import { checkChat, checkName } from './text-form.ts'

test('the same letters in two forms are one text: only the normal form is taken', () => {
  expect(checkName('René')).toBeUndefined()
  expect(checkName('Rene\u0301')).toBe('not-normal')
  expect(checkChat('\u212B')).toBe('not-normal')
  expect(checkChat('\u212B'.normalize('NFC'))).toBeUndefined()
})

test('names have 32 code points at most, lines 512', () => {
  expect([checkName('x'.repeat(32)), checkName('x'.repeat(33))]).toEqual([undefined, 'too-long'])
  expect([checkChat('x'.repeat(512)), checkChat('x'.repeat(513))]).toEqual([undefined, 'too-long'])
})

test('characters are judged before the form', () => {
  expect(checkName('a\u202Eb')).toBe('direction')
  expect(checkName('a  b')).toBe('spacing')
  expect(checkChat('a  b')).toBeUndefined()
})

test('what is taken fits its bytes, and stays taken when it is normalised again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      if (checkName(text) === undefined) {
        expect(utf8Length(text)).toBeLessThanOrEqual(playerNameBytesMax)
      }
      if (checkChat(text) === undefined) {
        expect(utf8Length(text)).toBeLessThanOrEqual(chatBytesMax)
        expect(checkChat(text.normalize('NFC'))).toBeUndefined()
      }
    }),
    { numRuns: 1_000 },
  )
})
