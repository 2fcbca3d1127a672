import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..', '..')
// Inside the repository, so that `samestep` is found as it is in a project that installed it.
const folder = join(root, '.cache', 'readme')

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the quick start of the README works as pasted', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
  expect(code).toContain('defineGame')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'quick-start.mts')
  writeFileSync(file, code)
  const output = execFileSync(process.execPath, ['--import', 'tsx', file], {
    cwd: root,
    encoding: 'utf8',
  })
  const [first = '', second = ''] = output.trim().split('\n')
  expect(first).toBe("{ result: 'executed', tick: 1 }")
  expect(second).toMatch(/^\d+ [0-9a-f]{16}$/)
})
