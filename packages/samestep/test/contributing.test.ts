import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const repository = join(import.meta.dirname, '..', '..', '..')
const page = readFileSync(join(repository, 'CONTRIBUTING.md'), 'utf8')

test('every file and folder that CONTRIBUTING.md names exists', () => {
  const named = [...page.matchAll(/`((?:packages|src|test|tools|docs|bench)\/[\w./-]+)`/g)]
  const paths = named.map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(20)
  const missing = paths.filter((path) => {
    const isOfPackage = path.startsWith('src/') || path.startsWith('test/')
    return !existsSync(join(repository, isOfPackage ? 'packages/samestep' : '', path))
  })
  expect(missing).toEqual([])
})

test('every page that CONTRIBUTING.md links to exists', () => {
  const links = [...page.matchAll(/\]\(([\w./-]+)\)/g)].map(([, path = '']) => path)
  expect(links).toContain('docs/glossary.md')
  expect(links.filter((path) => !existsSync(join(repository, path)))).toEqual([])
})
