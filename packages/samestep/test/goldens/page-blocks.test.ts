import { expect, test } from 'vitest'
import { putBlock, readBlock, rowsOf, tableText } from './page-blocks.ts'

const page = 'before\n\n<!-- table: a -->\n\nold\n\n<!-- end of table -->\n\nafter\n'

test('a block is read from between its markers, and put there', () => {
  expect(readBlock(page, 'a')).toBe('old')
  expect(putBlock(page, 'a', 'new')).toBe(page.replace('old', 'new'))
})

test('a page without the markers of a block is refused, with what to write', () => {
  const sentence = /no table 'b': write <!-- table: b --> and <!-- end of table -->/
  expect(() => readBlock(page, 'b')).toThrowError(sentence)
  expect(() => putBlock(page, 'b', 'x')).toThrowError(sentence)
})

test('the rows of a table are those that it was made of, empty cells too', () => {
  const rows = [
    ['`a`', '', 'c'],
    ['', '', ''],
    ['x · y', '2', ''],
  ]
  expect(rowsOf(tableText(['one', 'two', ''], rows))).toEqual(rows)
})
