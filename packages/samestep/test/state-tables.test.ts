import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeStateTables, putTable, readTable } from './state-tables.ts'

const page = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'docs', 'state-machines.md'),
  'utf8',
)

describe.each([...makeStateTables()])('the table of the %s', (name, table) => {
  test('in docs/state-machines.md is what the machine does; write-state-tables.ts writes it', () => {
    expect(readTable(page, name)).toBe(table)
  })

  test('has no empty cell', () => {
    const [head, , ...rows] = table.split('\n').map((line) => line.split('|').slice(1, -1))
    expect(rows.length).toBeGreaterThan(8)
    for (const row of rows) {
      expect(row).toHaveLength(head?.length as number)
      expect(row.every((cell) => cell.trim() !== '')).toBe(true)
    }
  })
})

test('a page without the markers of a table is refused', () => {
  expect(() => readTable('nothing', 'client')).toThrowError("The page has no table 'client'")
  expect(() => putTable('nothing', 'client', 'x')).toThrowError(/no table/)
})
