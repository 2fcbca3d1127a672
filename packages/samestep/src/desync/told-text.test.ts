import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isWellFormed, utf8Length } from '../base/utf8.ts'
import { tellPath, tellText } from './told-text.ts'

test('any text fits, is well-formed, and begins as it did', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 60 })
  fc.assert(
    fc.property(texts, fc.integer({ min: 4, max: 50 }), (text, bytesMax) => {
      const told = tellText(text, bytesMax)
      expect(isWellFormed(told) && utf8Length(told) <= bytesMax).toBe(true)
      if (isWellFormed(text) && utf8Length(text) <= bytesMax) expect(told).toBe(text)
    }),
  )
})

test.each([
  ['game.ts', 'game.ts'],
  ['file:///a/long/path/to/the/game.ts', 'the/game.ts'],
  ['C:\\a\\long\\path\\game.ts', 'path\\game.ts'],
])('of a path its end is kept: %s', (path, told) => {
  expect(tellPath(path, 12)).toBe(told)
})

test('half a pair is replaced, and a name without folders is cut', () => {
  expect(tellText('a\ud800b', 20)).toBe('a\ufffdb')
  expect(tellPath('x'.repeat(30), 10)).toBe(`${'x'.repeat(7)}…`)
})
