import { expect, test } from 'vitest'
import { findLeaks } from './leaks.ts'

// Put together here, so that this file passes the check that it tests.
const slash = '/'
const machines = [
  `${slash}root/x`,
  `${slash}home/ada/x`,
  `${slash}Users/ada/x`,
  `C:${'\\'}Users\\ada`,
]

test.each(machines)('%s is a folder of one machine', (path) => {
  const [leak] = findLeaks('docs/a.md', `fine\nsee ${path} there`)
  expect(leak).toMatchObject({ path: 'docs/a.md', line: 2 })
  expect(leak?.message).toContain('relative to the repository')
})

test.each([
  '/usr/bin/chromium',
  './root/x',
  'https://example.org/home/ada/',
  '../work/x',
  'docs/root/x.md',
])('%s is not', (path) => {
  expect(findLeaks('docs/a.md', path)).toEqual([])
})

test('a lockfile may name a workspace, not a download address', () => {
  expect(findLeaks('package-lock.json', '"resolved": "packages/samestep",')).toEqual([])
  const address = '"resolved": "https://registry.example.org/a.tgz",'
  expect(findLeaks('package-lock.json', address)).toHaveLength(1)
  expect(findLeaks('docs/a.md', address)).toEqual([])
})
