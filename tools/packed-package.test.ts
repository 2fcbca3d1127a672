import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listPackedFiles } from './packed-package.ts'
import { root } from './programs.ts'
import { findStaleOutputs } from './stale-outputs.ts'

/** What a user has no use for, and why it would be there. */
const litter: readonly (readonly [string, RegExp])[] = [
  ['build info of the compiler', /tsbuildinfo/],
  ['compiler settings', /tsconfig[^/]*\.json$/],
  ['tests', /\.test\./],
  ['test kits', /(?:^|\/)(?:testing|test)\//],
  ['logs or profiles', /\.(?:log|cpuprofile|heapsnapshot|tgz)$/],
]

describe.each(['samestep', 'create-samestep'])('the tarball of %s', (name) => {
  // What stands in templates becomes a project of somebody: tests and settings belong there.
  const files = listPackedFiles(name).filter((path) => !/^(?:dist\/)?templates\//.test(path))

  test('holds its manifest, licence, page and programs', () => {
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']))
    expect(files.some((path) => /^dist\/.*\.js$/.test(path))).toBe(true)
  })

  test.each(litter)('holds no %s', (_what, pattern) => {
    expect(files.filter((path) => pattern.test(path))).toEqual([])
  })

  test('holds nothing but programs, types, maps and sources beside them', () => {
    const expected =
      /^(?:LICENSE|README\.md|package\.json|dist\/.*\.(?:js|d\.ts)(?:\.map)?|src\/.*\.ts)$/
    expect(files.filter((path) => !expected.test(path))).toEqual([])
  })

  test('holds no output whose source is gone', () => {
    expect(findStaleOutputs(join(root, 'packages', name))).toEqual([])
  })
})

test('every source map of samestep leads to a file of the tarball', () => {
  const files = new Set(listPackedFiles('samestep'))
  const maps = [...files].filter((path) => path.endsWith('.map'))
  expect(maps.length).toBeGreaterThan(0)
  const missing = maps.filter((path) => !files.has(sourceOf(path)))
  expect(missing).toEqual([])
})

/** The file that a map of `dist` leads to, as a path of the package. */
function sourceOf(path: string): string {
  const map = JSON.parse(readFileSync(join(root, 'packages', 'samestep', path), 'utf8'))
  const [source] = map.sources as [string]
  return join(path, '..', source).replaceAll('\\', '/')
}
