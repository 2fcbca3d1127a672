import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import * as api from '../index.ts'
import { configs, rules } from './plugin.ts'
import { lintText } from './testing/lint.ts'

const guide = readFileSync(new URL('../../../../docs/lint.md', import.meta.url), 'utf8')

/** The sections of the guide by their third-level headings. */
const sections = new Map(
  guide
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')).trim(), section] as const),
)

function sample(section: string, word: 'Bad' | 'Good'): string {
  const match = new RegExp(`^${word}:\\n\\n\`\`\`ts\\n([^]*?)^\`\`\``, 'm').exec(section)
  return match?.[1] ?? ''
}

test('every rule has a section in docs/lint.md, and nothing else has one', () => {
  expect([...sections.keys()].sort()).toEqual(Object.keys(rules).sort())
})

describe.each(Object.entries(rules))('%s', (name, rule) => {
  const section = sections.get(name) ?? ''

  test('leads to its section', () => {
    expect(rule.meta?.docs?.url).toBe(`docs/lint.md#${name}`)
  })

  test('reports what the guide calls bad', async () => {
    const bad = sample(section, 'Bad')
    expect(bad).not.toBe('')
    expect(await lintText(bad)).toContain(name)
  })

  test('passes what the guide calls good, as every other rule does', async () => {
    const good = sample(section, 'Good')
    expect(good).not.toBe('')
    expect(await lintText(good)).toEqual([])
  })

  test('helps as the table of the guide says', () => {
    const [, helps] = new RegExp(`^\\| \\[${name}\\].*\\|(.*)\\|$`, 'm').exec(guide) ?? []
    const expected = [
      ...(rule.meta?.fixable === 'code' ? ['fix'] : []),
      ...(rule.meta?.hasSuggestions === true ? ['suggestion'] : []),
    ]
    expect(helps?.trim()).toBe(expected.join(', '))
  })

  test('proposes only names that Samestep exports', () => {
    const texts = [section, ...Object.values(rule.meta?.messages ?? {})].join('\n')
    const random = Object.getOwnPropertyNames(Object.getPrototypeOf(api.Random.prototype))
    const known: { readonly [name: string]: readonly string[] } = {
      dmath: Object.keys(api.dmath),
      fixed: [...Object.keys(api.fixed), 'default', 'since', 'was'],
      random: [...random, ...Object.getOwnPropertyNames(api.Random.prototype)],
    }
    // What stands before the point is not part of a longer name: Math.random is another thing.
    for (const [, object, member] of texts.matchAll(/(?<![\w.])(dmath|fixed|random)\.(\w+)/g)) {
      expect(known[object ?? '']).toContain(member)
    }
  })
})

test('the configurations name every rule', () => {
  const names = Object.keys(rules).map((name) => `samestep/${name}`)
  expect(Object.keys(configs.simulation.rules ?? {})).toEqual(names)
  expect(Object.keys(configs.game.rules ?? {})).toEqual(names)
})
