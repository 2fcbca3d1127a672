import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/**
 * What may stand at the top of the repository. A profile or a failure report that `git add` swept
 * up lands there first; a new entry belongs in this list only if a reader should see it there.
 */
const allowed = [
  '.ci',
  '.editorconfig',
  '.gitignore',
  '.npmrc',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'bench',
  'biome.json',
  'docs',
  'examples',
  'package-lock.json',
  'package.json',
  'packages',
  'tools',
  'tsconfig.base.json',
  'tsconfig.json',
  'vitest.config.ts',
]

const repository = join(import.meta.dirname, '..', '..', '..')

/** Git's word is the truth; without its folder, as in an unpacked archive, the disk has to do. */
function listRoot(): string[] {
  if (!existsSync(join(repository, '.git'))) {
    const made = ['.cache', 'coverage', 'node_modules']
    return readdirSync(repository).filter((name) => !made.includes(name))
  }
  // Some CI containers check out as another user; git would refuse to answer there.
  const args = ['-c', 'safe.directory=*', 'ls-files', '-z']
  const output = execFileSync('git', args, { cwd: repository, encoding: 'utf8' })
  const names = output.split('\0').filter((path) => path !== '')
  return [...new Set(names.map((path) => path.split('/')[0] ?? ''))]
}

test('nothing stands at the root of the repository that is not on the list', () => {
  const root = listRoot()
  expect(root).toContain('package.json')
  expect(root.filter((name) => !allowed.includes(name))).toEqual([])
})

test('the list names nothing that is gone', () => {
  const root = listRoot()
  expect(allowed.filter((name) => !root.includes(name))).toEqual([])
})
