/** Holds `docs/errors.md` to the reasons that programs are given. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JoinFailure } from '../src/driver/online/join-error.ts'
import { closeReasons, denials, orderRefusals } from '../src/wire/codes.ts'
import { messageTypes } from '../src/wire/messages/messages.ts'

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

const source = join(import.meta.dirname, '..', 'src')

/** The sources of a folder, without comments, tests and their kits. */
function sourcesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'testing' ? [] : sourcesOf(path)
    if (!/(?<!\.test)\.ts$/.test(entry.name)) return []
    const text = readFileSync(path, 'utf8')
    return [text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')]
  })
}

/** What relay and room say to people: texts that begin like a sentence, and are no error of ours. */
function sentencesOf(text: string): string[] {
  const found = text.matchAll(/'([A-Z][a-z]+(?: [^'\n]+)?)'|`([A-Z][a-z]+ [^`]+)`/g)
  return [...found].flatMap((match) => {
    const before = text.slice(Math.max(match.index - 160, 0), match.index)
    if (/(?:assert|Error)\([^;]*$/.test(before)) return []
    return [(match[1] ?? match[2] ?? '').replace(/\$\{.*\}/, '…')]
  })
}

/** The two columns behind a marker. */
function sentencesBehind(marker: string): [string, string][] {
  const from = page.indexOf(`<!-- sentences:${marker} -->`)
  const [table = ''] = /(?:^\|.*\n)+/m.exec(page.slice(from)) ?? []
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) => {
      const [, reason = '', sentence = ''] = /^\| `([^`]+)` \| (.*) \|$/.exec(row) ?? []
      return [reason, sentence]
    })
}

test('every sentence with which a relay ends a session is on the page, and no other is', () => {
  const spoken = [join(source, 'relay'), join(source, 'room')].flatMap(sourcesOf)
  const said = spoken.flatMap(sentencesOf).filter((text) => !text.startsWith('Cannot '))
  const listed = sentencesBehind('close').map(([, sentence]) => sentence)
  expect(listed.length).toBeGreaterThan(20)
  expect(new Set(listed).size).toBe(listed.length)
  expect([...new Set(said)].sort()).toEqual([...listed].sort())
})

test('each of them has a reason that there is, and can be sent and read', () => {
  for (const [reason, sentence] of sentencesBehind('close')) {
    expect(closeReasons).toContain(reason)
    expect(messageTypes.RelayClose.fields.accepts({ reason, message: sentence })).toBe(true)
    expect(sentence, sentence).not.toMatch(/\.$|\bit must be (?:of|none)\b/)
  }
})
