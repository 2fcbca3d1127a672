import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readBlock } from './goldens/page-blocks.ts'
import { makeStateTables } from './state-tables.ts'

const page = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'docs', 'state-machines.md'),
  'utf8',
)

describe.each([...makeStateTables()])('the table of the %s', (name, table) => {
  test('in docs/state-machines.md is what the machine does; npm run golden writes it', () => {
    expect(readBlock(page, name)).toBe(table)
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
