import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportsPage, listExports, renderExportsPage } from './goldens/exports-page.ts'

const names = listExports()
const root = join(import.meta.dirname, '..', '..', '..')

test('no name is exported by two doors', () => {
  const doors = new Map<string, string[]>()
  for (const { name, door } of names) doors.set(name, [...(doors.get(name) ?? []), door])
  expect([...doors].filter(([, all]) => all.length > 1)).toEqual([])
})

test('every exported name says in a sentence what it is', () => {
  const silent = names.filter(({ what }) => what.split(' ').length < 3)
  expect(silent.map(({ door, name, what }) => `${door}: ${name}: ${what}`)).toEqual([])
})

test('every exported function, class and value is explained by a page', () => {
  const unexplained = names.filter(({ isType, page }) => !isType && page === undefined)
  expect(unexplained.map(({ door, name }) => `${door}: ${name}`)).toEqual([])
})

test('the front door stays small', () => {
  expect(names.filter(({ door }) => door === 'samestep').length).toBeLessThanOrEqual(90)
})

test('the page of exported names is as it would be written today', () => {
  const page = readFileSync(join(root, exportsPage), 'utf8')
  expect(page).toBe(renderExportsPage(page))
})
