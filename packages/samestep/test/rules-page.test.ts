import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { expect, test } from 'vitest'

const repository = join(import.meta.dirname, '..', '..', '..')
const page = readFileSync(join(repository, 'docs', 'rules.md'), 'utf8')

/** Where ids may be used. The page itself is no use of its ids. */
const folders = ['packages', 'docs', 'tools', 'examples', 'bench']
const skipped = /(?:^|[/\\])(?:node_modules|dist|vectors|golden)(?:[/\\]|$)/

/** What looks like an id of a rule, and is the name of an algorithm. */
const others = ['CRC-32', 'P-256', 'SHA-256', 'UTF-16']

const idPattern = /(?<![\w-])[A-Z]{1,3}-\d{2,3}(?![\w-])/g

/** Each id with the first file that uses it. */
function usedIds(): Map<string, string> {
  const found = new Map<string, string>()
  for (const folder of folders) {
    for (const path of readdirSync(join(repository, folder), {
      recursive: true,
      encoding: 'utf8',
    })) {
      if (!/\.(?:ts|mjs|md)$/.test(path) || skipped.test(path)) continue
      if (path === 'rules.md') continue
      const text = readFileSync(join(repository, folder, path), 'utf8')
      for (const [id] of text.matchAll(idPattern)) {
        if (!others.includes(id) && !found.has(id)) {
          found.set(id, `${folder}/${path.split(sep).join('/')}`)
        }
      }
    }
  }
  return found
}

const rows = [...page.matchAll(/^\| ([A-Z]{1,3}-\d{2,3}) \| (.*) \|$/gm)]
const defined = rows.map(([, id = '']) => id)

test('every rule id that is used is defined in docs/rules.md', () => {
  const used = usedIds()
  expect(used.size).toBeGreaterThan(100)
  const missing = [...used].filter(([id]) => !defined.includes(id))
  expect(missing.map(([id, path]) => `${id} in ${path}`)).toEqual([])
})

test('an id is defined once, in a sentence', () => {
  expect(new Set(defined).size).toBe(defined.length)
  for (const [, id, sentence] of rows) expect(`${id} ${sentence}`).toMatch(/^\S+ [A-Z].*\.$/)
})
