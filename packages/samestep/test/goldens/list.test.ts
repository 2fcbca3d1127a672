import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { frozenVectors, goldenFiles } from './list.ts'

const repository = join(import.meta.dirname, '..', '..', '..', '..')

test('npm run golden writes every file of vectors that is not frozen', () => {
  const names = readdirSync(join(import.meta.dirname, '..', 'vectors'))
  const written = goldenFiles
    .filter(({ path }) => path.includes('/vectors/'))
    .map(({ path }) => path.slice(path.lastIndexOf('/') + 1))
  expect([...written, ...frozenVectors].sort()).toEqual(names.sort())
})

// Digests take half a minute; engines.test.ts computes them anyway.
const quick = goldenFiles.filter(({ path }) => !path.endsWith('digests.json'))

test.each(quick)('$path is what npm run golden writes', async ({ path, make }) => {
  const made = await make()
  const committed = readFileSync(join(repository, path))
  if (typeof made === 'string') {
    expect(committed.toString().split('\n')).toEqual(made.split('\n'))
  } else expect(committed.equals(made)).toBe(true)
})
