import { expect, test } from 'vitest'
import { describeChange } from './golden-change.ts'

const text = (...lines: string[]): Uint8Array => Buffer.from(lines.join('\n'))

test('of a text, the lines that went and came are shown, and no others', () => {
  const before = text('[', '  {"title":"a","hex":"00"},', '  {"title":"b","hex":"01"}', ']')
  const after = text(
    '[',
    '  {"title":"a","hex":"00"},',
    '  {"title":"b","hex":"ff"},',
    '  {"title":"c","hex":"02"}',
    ']',
  )
  expect(describeChange(before, after, true)).toEqual([
    '1 lines went, 2 came',
    '- {"title":"b","hex":"01"}',
    '+ {"title":"b","hex":"ff"}',
    '+ {"title":"c","hex":"02"}',
  ])
})

test('a change of sequence alone is called so', () => {
  expect(describeChange(text('a', 'b'), text('b', 'a'), true)).toEqual([
    'the same lines in another sequence',
  ])
})

test('many and long lines are cut', () => {
  const lines = Array.from({ length: 40 }, (_, index) => `${index} ${'x'.repeat(500)}`)
  const shown = describeChange(text(), text(...lines), true)
  expect(shown.length).toBeLessThan(20)
  expect(shown.at(-1)).toMatch(/and 28 more$/)
  expect(Math.max(...shown.map(({ length }) => length))).toBeLessThan(160)
})

test('of bytes, sizes and the first difference are shown', () => {
  expect(describeChange(Uint8Array.of(1, 2, 3), Uint8Array.of(1, 9, 3, 4), false)).toEqual([
    '3 → 4 bytes, the first difference at byte 1',
  ])
})
