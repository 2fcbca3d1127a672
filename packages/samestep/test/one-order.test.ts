/** Holds `docs/one-order.md` to the code: every file is there, and has the function that it is linked for. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const docs = join(import.meta.dirname, '..', '..', '..', 'docs')
const page = readFileSync(join(docs, 'one-order.md'), 'utf8')

const links = [...page.matchAll(/\[`([^`]+)`\]\(([^)]+)\) `([^`]+)`/g)].map(
  ([, shown = '', target = '', name = '']) => ({ shown, target, name }),
)

/** A method, a function, or a property that is one, by its name. */
function declares(source: string, name: string): boolean {
  const plain = name.replace('#', '\\#')
  const method = new RegExp(
    `^ {2}(?:readonly |async )?${plain}(?:<[^>]*>)?(?:\\(|(?::.*)? = )`,
    'm',
  )
  const property = new RegExp(`^ +${plain}: \\(.*=> \\{$`, 'm')
  const free = new RegExp(`^export (?:async )?function ${plain}\\b`, 'm')
  return method.test(source) || property.test(source) || free.test(source)
}

test('a function that is only called, or not there, is noticed', () => {
  const source = 'class A {\n  take(): void {\n    put(1)\n  }\n}\n'
  expect([declares(source, 'take'), declares(source, 'put')]).toEqual([true, false])
})

test.each(links)('$shown has $name', ({ shown, target, name }) => {
  const file = join(docs, target)
  expect(target.endsWith(`/src/${shown}`)).toBe(true)
  expect(existsSync(file), shown).toBe(true)
  expect(declares(readFileSync(file, 'utf8'), name), `${shown} ${name}`).toBe(true)
})

/** The numbered rows below a heading. */
function hopsOf(heading: string): number[] {
  const from = page.indexOf(`\n## ${heading}\n`)
  const section = page.slice(from + 4, page.indexOf('\n## ', from + 4) + 1 || undefined)
  return [...section.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number))
}

test.each([
  ['One order', 30],
  ['One input', 12],
  ['One hash', 8],
])('%s takes no more than %i hops, numbered in sequence', (heading, most) => {
  const hops = hopsOf(heading)
  expect(hops).toEqual(hops.map((_, index) => index + 1))
  expect(hops.length).toBeGreaterThan(3)
  expect(hops.length).toBeLessThanOrEqual(most)
})
