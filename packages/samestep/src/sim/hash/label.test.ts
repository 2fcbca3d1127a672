import fc from 'fast-check'
import { expect, test } from 'vitest'
import { labelBytesMax } from '../limits.ts'
import { makeLabel, parseLabel } from './label.ts'
import { referenceSeed } from './testing/reference.ts'

test('a label has its text in UTF-8 and the seed of the description', () => {
  const letters = fc.constantFrom('a', 'x', '/', '0', 'é', '漢', '😀', '\0')
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 40 }), (text) => {
      const label = makeLabel(text)
      const [lo, hi] = referenceSeed(text)
      expect(label).toEqual({
        text,
        bytes: Uint8Array.from(new TextEncoder().encode(text)),
        seedLo: lo >>> 0,
        seedHi: hi >>> 0,
      })
    }),
  )
})

test('a label fits the 16 bits that the state hash has for its length', () => {
  expect(makeLabel('x'.repeat(labelBytesMax)).bytes.length).toBe(65_535)
  expect(() => makeLabel('x'.repeat(labelBytesMax + 1))).toThrow(
    expect.objectContaining({ code: 'SS_BAD_ARGUMENT' }),
  )
})

test.each([
  ['units/x/0', { part: 'units', column: 'x', block: 0 }],
  ['#system/tick/0', { part: '#system', column: 'tick', block: 0 }],
  ['units/x/12', { part: 'units', column: 'x', block: 12 }],
  ['a/b/c/3', { part: 'a/b', column: 'c', block: 3 }],
  ['units/x', undefined],
  ['units/x/', undefined],
  ['units/x/01', undefined],
  ['units/x/-1', undefined],
  ['units//1', undefined],
  ['', undefined],
])('the label %j is read as %j', (text, expected) => {
  expect(parseLabel(text)).toEqual(expected)
})
