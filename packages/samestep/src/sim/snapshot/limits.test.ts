import { expect, test } from 'vitest'
import { tableRowsMax } from '../state/table-rows.ts'
import { numberAt } from './block.ts'
import {
  deflateRatioMax,
  matchIdBytesMax,
  nameBytesMax,
  snapshotBytesMax,
  snapshotRowsMax,
  snapshotSectionsMax,
  tableColumnsMax,
  tableMasksMax,
} from './limits.ts'

test('every limit fits the field of the file that holds it', () => {
  expect(snapshotBytesMax).toBeLessThan(2 ** 31)
  expect(snapshotSectionsMax).toBeLessThan(2 ** 32)
  expect(tableColumnsMax).toBeLessThan(2 ** 16)
  expect(nameBytesMax).toBeLessThan(2 ** 8)
  expect(matchIdBytesMax).toBeLessThanOrEqual(nameBytesMax)
  expect(tableMasksMax).toBe(2 ** (32 - numberAt))
})

test('every table that a game can declare can be written', () => {
  expect(tableRowsMax).toBeLessThanOrEqual(snapshotRowsMax)
})

test('sizes can be multiplied by the growth of deflate without losing a byte', () => {
  expect(snapshotBytesMax * deflateRatioMax).toBeLessThan(Number.MAX_SAFE_INTEGER)
})
