/** Holds `docs/errors.md` to the reasons that programs are given. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JoinFailure } from '../src/driver/online/join-error.ts'
import { closeReasons, denials, orderRefusals } from '../src/wire/codes.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'errors.md'), 'utf8')

/** The first column of the table behind a marker, with the number of its filled cells. */
function rowsBehind(marker: string): string[] {
  const from = page.indexOf(`<!-- reasons:${marker} -->`)
  expect(from, marker).toBeGreaterThan(0)
  const [table = ''] = /(?:^\|.*\n)+/m.exec(page.slice(from)) ?? []
  const rows = table.trim().split('\n').slice(2)
  for (const row of rows)
    expect(
      row
        .split('|')
        .slice(1, -1)
        .every((cell) => cell.trim() !== ''),
    ).toBe(true)
  return rows.map((row) => /^\| `([^`]+)`/.exec(row)?.[1] ?? row)
}

/** Reasons of this side; the compiler notices one that is missing. */
const own: { readonly [R in Exclude<JoinFailure, (typeof closeReasons)[number]>]: true } = {
  timeout: true,
  aborted: true,
  'setup-failed': true,
  'worker-lost': true,
  refused: true,
}

test('every reason why a match ends or is not joined is explained, and no other is', () => {
  expect(rowsBehind('end')).toEqual([...Object.keys(own), ...closeReasons])
})

test('every reason why a relay refuses an order is explained, and no other is', () => {
  expect(rowsBehind('order')).toEqual([...orderRefusals])
})

test('every reason why a wish is denied is explained, and no other is', () => {
  expect(rowsBehind('denied')).toEqual([...denials, 'not-connected'])
})
