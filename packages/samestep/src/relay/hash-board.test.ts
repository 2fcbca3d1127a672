import { expect, test } from 'vitest'
import { recentHashesMax } from '../sim/limits.ts'
import { HashBoard } from './hash-board.ts'

test('the first report of a tick is what the others are compared with', () => {
  const board = new HashBoard()
  expect(board.report(5, 1, 2)).toBe(true)
  expect(board.report(5, 1, 2)).toBe(true)
  expect(board.report(5, 1, 3)).toBe(false)
  expect(board.report(5, 0, 2)).toBe(false)
  expect(board.report(6, 7, 8)).toBe(true)
})

test('words are compared as unsigned numbers', () => {
  const board = new HashBoard()
  board.report(1, 0xffff_ffff, 0x8000_0000)
  expect(board.report(1, 0xffff_ffff, 0x8000_0000)).toBe(true)
})

test('a report that is older than what is remembered has nothing to be compared with', () => {
  const board = new HashBoard()
  board.report(3, 1, 1)
  board.report(3 + recentHashesMax, 2, 2)
  expect(board.report(3, 9, 9)).toBe(true)
  expect(board.report(3 + recentHashesMax, 9, 9)).toBe(false)
})
