/** A kind of field that is added somewhere must be added everywhere: this asks for what no compiler does. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as api from '../../index.ts'
import { BaseField } from './base-field.ts'
import type { AnyField } from './field.ts'
import * as schema from './index.ts'
import { fieldCases } from './testing/arbitraries.ts'
import { schemaCases } from './testing/vector-cases.ts'

/** What makes a field, and is called as its kind: `range`, `list` … */
const factories = ['list', 'map', 'oneOf', 'optional', 'range', 'ref', 'set', 'struct', 'text']
/** Functions of the schema that make none. */
const others = ['decodeRecord', 'encodeRecord', 'makeFixedField']

/** Every kind that a game can declare, from what the schema exports. */
const kinds = Object.entries(schema).flatMap(([name, value]: [string, unknown]) => {
  if (value instanceof BaseField) return [(value as AnyField).kind]
  if (typeof value !== 'function' || /^[A-Z]/.test(name) || others.includes(name)) return []
  return [name]
})

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const page = read('../../docs/fields.md')
const digests = JSON.parse(read('test/vectors/digests.json')).digests.schema

test('the kinds are found', () => {
  expect(kinds).toEqual(expect.arrayContaining(['bool', 'fixed', 'u8', ...factories]))
})

test.each(kinds)('%s is exported to games', (kind) => {
  expect(Object.keys(api)).toContain(kind)
})

test.each(kinds)('%s has golden bytes, and with them random values', (kind) => {
  const found = schemaCases.find(({ name }) => name === kind)
  expect(found?.field.kind).toBe(kind)
})

test.each(kinds)('%s is met by the tests of all kinds', (kind) => {
  expect(fieldCases.map(({ field }) => field.kind)).toContain(kind)
})

test.each(kinds)('%s has a digest', (kind) => {
  expect(Object.keys(digests)).toContain(kind)
})

test.each(kinds)('%s has a line in docs/fields.md that says what it is for', (kind) => {
  expect(page).toMatch(new RegExp(`^\\| \`${kind}\\b.*\\| [^|]{5,} \\|$`, 'm'))
})
