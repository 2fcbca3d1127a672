import fc from 'fast-check'
import { expect, test } from 'vitest'
import { utf8Length } from '../../base/utf8.ts'
import { softwareBytesMax } from '../limits.ts'
import { isShowable, showableText } from './software.ts'

const of = (build: string) => ({ library: 'samestep 0.1.0', engine: '', build })

test.each([
  ['', true],
  ['1.4.2+3f9c', true],
  ['größer', true],
  ['a\nb', false],
  ['\u001b[2J', false],
  ['a\u202eb', false],
  ['u\u0308', false],
  [' a', false],
  ['a  b', false],
])('%j is shown to operators: %s', (build, isFine) => expect(isShowable(of(build))).toBe(isFine))

test.each([
  ['Mozilla/5.0 (X11)', 'Mozilla/5.0 (X11)'],
  [' a\n\tb  c ', 'a b c'],
  ['\u202e', ''],
  ['\u200d', ''],
  ['a\u001b[2Jb', 'a [2Jb'],
  ['x'.repeat(100), 'x'.repeat(64)],
  [`${'ü'.repeat(31)}x y`, `${'ü'.repeat(31)}x`],
])('%j becomes %j', (wild, tidy) => expect(showableText(wild)).toBe(tidy))

test('whatever a text is, what is made of it can be shown, fits, and stays as it is', () => {
  const wild = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme' }),
  )
  fc.assert(
    fc.property(wild, (text) => {
      const tidy = showableText(text)
      expect(isShowable(of(tidy))).toBe(true)
      expect(utf8Length(tidy)).toBeLessThanOrEqual(softwareBytesMax)
      expect(showableText(tidy)).toBe(tidy)
    }),
  )
})
